#include "CYuv.h"
