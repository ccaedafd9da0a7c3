// libyuv, loaded at first use: the library's own header, a table of its functions, and shims that call through it.
//
// libyuv names pixels by register order: its "ARGB" is B, G, R, A in memory.
#pragma once
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/rotate_argb.h>
#include <libyuv/scale_argb.h>
#include <stddef.h>
#include <stdint.h>

#define CYUV_FUNCTIONS(X)                                                                                          \
    X(YUY2ToARGB) X(UYVYToARGB) X(YUY2ToI422) X(UYVYToI422) X(NV12ToARGBMatrix) X(NV21ToARGBMatrix)                 \
    X(I420ToARGBMatrix) X(I422ToARGBMatrix) X(I400ToARGB) X(RGB24ToARGB) X(RAWToARGB) X(RGB565ToARGB)               \
    X(ABGRToARGB) X(ARGBCopy) X(MJPGToARGB) X(ARGBScale) X(ARGBRotate) X(ARGBMirror) X(NV12ToI420) X(NV21ToI420)     \
    X(ARGBToJ420) X(J400ToARGB)

#define CYUV_MATRICES(X) \
    X(kYuvI601Constants) X(kYuvJPEGConstants) X(kYuvH709Constants) X(kYuvF709Constants) X(kYuv2020Constants) \
    X(kYuvV2020Constants)

// How Y'CbCr becomes R'G'B', in the order of CYUV_MATRICES.
enum cyuv_matrix { CYUV_601, CYUV_601_FULL, CYUV_709, CYUV_709_FULL, CYUV_2020, CYUV_2020_FULL, CYUV_MATRIX_COUNT };

struct cyuv_table {
#define X(name) __typeof__(name) *name;
    CYUV_FUNCTIONS(X)
#undef X
    const struct YuvConstants *matrix[CYUV_MATRIX_COUNT];
};
extern struct cyuv_table cyuv_table; // filled by cyuv_load(); never used before it answered 0

// Loads libyuv.so.0 once, from any thread; 0, or -ENOENT with the reason in cyuv_missing().
int cyuv_load(void);
const char *cyuv_missing(void);

// All of these: 0, or what libyuv answers for what it cannot read. Strides in bytes.
static inline int cyuv_yuy2(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.YUY2ToARGB(from, stride, to, to_stride, width, height);
}
static inline int cyuv_uyvy(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.UYVYToARGB(from, stride, to, to_stride, width, height);
}
// Packed 4:2:2 to planes; the chroma planes have half the width, rounded up.
static inline int cyuv_planes422(
    int is_uyvy, const uint8_t *from, int stride, uint8_t *y, uint8_t *u, uint8_t *v, int width, int height) {
    int half = (width + 1) / 2;
    return (is_uyvy ? cyuv_table.UYVYToI422 : cyuv_table.YUY2ToI422)(
        from, stride, y, width, u, half, v, half, width, height);
}
// Packed 4:2:2 through planes in `scratch` (2 * even width * height bytes), for matrices that the direct way has not.
static inline int cyuv_packed422(
    int is_uyvy, const uint8_t *from, int stride, uint8_t *scratch, uint8_t *to, int to_stride, enum cyuv_matrix matrix,
    int width, int height) {
    int half = (width + 1) / 2;
    uint8_t *u = scratch + (size_t)width * height, *v = u + (size_t)half * height;
    int answer = cyuv_planes422(is_uyvy, from, stride, scratch, u, v, width, height);
    if (answer) return answer;
    return cyuv_table.I422ToARGBMatrix(
        scratch, width, u, half, v, half, to, to_stride, cyuv_table.matrix[matrix], width, height);
}
static inline int cyuv_nv12(
    const uint8_t *y, int y_stride, const uint8_t *uv, int uv_stride, uint8_t *to, int to_stride,
    enum cyuv_matrix matrix, int width, int height) {
    return cyuv_table.NV12ToARGBMatrix(
        y, y_stride, uv, uv_stride, to, to_stride, cyuv_table.matrix[matrix], width, height);
}
static inline int cyuv_nv21(
    const uint8_t *y, int y_stride, const uint8_t *vu, int vu_stride, uint8_t *to, int to_stride,
    enum cyuv_matrix matrix, int width, int height) {
    return cyuv_table.NV21ToARGBMatrix(
        y, y_stride, vu, vu_stride, to, to_stride, cyuv_table.matrix[matrix], width, height);
}
static inline int cyuv_i420(
    const uint8_t *y, int y_stride, const uint8_t *u, int u_stride, const uint8_t *v, int v_stride, uint8_t *to,
    int to_stride, enum cyuv_matrix matrix, int width, int height) {
    return cyuv_table.I420ToARGBMatrix(
        y, y_stride, u, u_stride, v, v_stride, to, to_stride, cyuv_table.matrix[matrix], width, height);
}
static inline int cyuv_i422(
    const uint8_t *y, int y_stride, const uint8_t *u, int u_stride, const uint8_t *v, int v_stride, uint8_t *to,
    int to_stride, enum cyuv_matrix matrix, int width, int height) {
    return cyuv_table.I422ToARGBMatrix(
        y, y_stride, u, u_stride, v, v_stride, to, to_stride, cyuv_table.matrix[matrix], width, height);
}
static inline int cyuv_gray(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.I400ToARGB(from, stride, to, to_stride, width, height);
}
// The same with black at 0 and white at 255.
static inline int cyuv_gray_full(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.J400ToARGB(from, stride, to, to_stride, width, height);
}
// B, G, R in memory.
static inline int cyuv_bgr24(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.RGB24ToARGB(from, stride, to, to_stride, width, height);
}
// R, G, B in memory.
static inline int cyuv_rgb24(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.RAWToARGB(from, stride, to, to_stride, width, height);
}
static inline int cyuv_rgb565(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.RGB565ToARGB(from, stride, to, to_stride, width, height);
}
// R, G, B, A in memory.
static inline int cyuv_rgba(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.ABGRToARGB(from, stride, to, to_stride, width, height);
}
static inline int cyuv_copy(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.ARGBCopy(from, stride, to, to_stride, width, height);
}
static inline int cyuv_mjpeg(const uint8_t *from, size_t count, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.MJPGToARGB(from, count, to, to_stride, width, height, width, height);
}
static inline int cyuv_scale(
    const uint8_t *from, int stride, int width, int height, uint8_t *to, int to_stride, int to_width, int to_height) {
    return cyuv_table.ARGBScale(
        from, stride, width, height, to, to_stride, to_width, to_height, kFilterBilinear);
}
// Two planes of 4:2:0 to three.
static inline int cyuv_planes420(
    int is_nv21, const uint8_t *y, int y_stride, const uint8_t *uv, int uv_stride, uint8_t *to_y, uint8_t *to_u,
    uint8_t *to_v, int width, int height) {
    int half = (width + 1) / 2;
    return (is_nv21 ? cyuv_table.NV21ToI420 : cyuv_table.NV12ToI420)(
        y, y_stride, uv, uv_stride, to_y, width, to_u, half, to_v, half, width, height);
}
// B, G, R, A to three planes of 4:2:0, full range.
static inline int cyuv_planes_of_bgra(
    const uint8_t *from, int stride, uint8_t *y, uint8_t *u, uint8_t *v, int width, int height) {
    int half = (width + 1) / 2;
    return cyuv_table.ARGBToJ420(from, stride, y, width, u, half, v, half, width, height);
}
// Clockwise by 0, 90, 180 or 270 degrees.
static inline int cyuv_rotate(
    const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height, int degrees) {
    return cyuv_table.ARGBRotate(from, stride, to, to_stride, width, height, (enum RotationMode)degrees);
}
static inline int cyuv_mirror(const uint8_t *from, int stride, uint8_t *to, int to_stride, int width, int height) {
    return cyuv_table.ARGBMirror(from, stride, to, to_stride, width, height);
}
