#include "CUdev.h"
