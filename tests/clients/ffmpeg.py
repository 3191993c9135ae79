#!/usr/bin/env python3
"""FFmpeg's OpenCL filters on our platform: each next to FFmpeg's own filter for the host, by the ratio of signal to noise."""
import os
import re
import subprocess
import sys

import numpy

from client import on_our_platform

on_our_platform()
SAME = float("inf")
KERNEL = "0 -1 0 -1 5 -1 0 -1 0"
PROGRAM = os.path.join(os.environ["CY_TMP"], "program.cl")
TURN = "read_imagef(in, s, (int2)(get_image_width(out) - 1 - at.x, get_image_height(out) - 1 - at.y))"
with open(PROGRAM, "w") as file:
    file.write("""
const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void turn(write_only image2d_t out, unsigned int index, read_only image2d_t in)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, %s);
}
kernel void ramp(write_only image2d_t out, unsigned int index)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, (float4)((at.x + 2 * at.y + 16 * index) %% 256 / 255.0f));
}
kernel void half_and_half(write_only image2d_t out, read_only image2d_t from, read_only image2d_t to, float progress)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, at.x %% 2 ? read_imagef(from, s, at) : read_imagef(to, s, at));
}
""" % TURN)

# OpenCL filter, the host's, format, least ratio in dB (SAME: the same pictures)
FILTERS = [
    ("avgblur_opencl=sizeX=3:sizeY=3", "avgblur=sizeX=3:sizeY=3", "yuv420p", 38),  # the host's edges are others
    ("boxblur_opencl=2:1:2:1", "boxblur=2:1:2:1", "yuv420p", 44),
    ("colorkey_opencl=color=red:similarity=0.4:blend=0.2", "colorkey=color=red:similarity=0.23094:blend=0.11547", "rgba",
     90),  # the host divides distances by the square root of 3
    ("convolution_opencl=" + ":".join(["'%s'" % KERNEL] * 3), "convolution=" + ":".join(["'%s'" % KERNEL] * 3), "yuv420p", 45),
    ("dilation_opencl", "dilation", "gray", SAME),
    ("erosion_opencl", "erosion", "gray", SAME),
    ("prewitt_opencl", "prewitt", "gray", 50),
    ("roberts_opencl", "roberts", "gray", 50),
    ("sobel_opencl", "sobel", "gray", 50),
    ("transpose_opencl=dir=clock", "transpose=dir=clock", "yuv420p", SAME),
    ("transpose_opencl=dir=cclock_flip", "transpose=dir=cclock_flip", "rgba", SAME),
    ("unsharp_opencl=lx=5:ly=5:la=1", "unsharp=lx=5:ly=5:la=1", "yuv420p", 44),
    ("pad_opencl=w=iw+32:h=ih+16:x=16:y=8", "pad=w=iw+32:h=ih+16:x=16:y=8", "rgba", SAME),
    ("nlmeans_opencl=s=2:p=3:r=5", "nlmeans=s=2:p=3:r=5", "yuv420p", 35),
    (f"program_opencl=source={PROGRAM}:kernel=turn", "hflip,vflip", "rgba", SAME),
]
PICTURES = "testsrc2=size=192x128:rate=5:duration=0.6"
OTHERS = "mandelbrot=size=192x128:rate=5,trim=duration=0.6"


def chain(ours, host, form):
    return (f"{PICTURES},format={form},split[a][b];"
            f"[a]hwupload,{ours},hwdownload,format={form}[x];[b]{host},format={form}[y];[x][y]psnr")


def pair(ours, host, form):
    """A filter of two videos."""
    return (f"{PICTURES},format={form},split[a][b];{OTHERS},format={form},split[c][d];[a]hwupload[e];[c]hwupload[f];"
            f"[e][f]{ours},hwdownload,format={form}[x];[b][d]{host},format={form}[y];[x][y]psnr")


GRAPHS = [(ours.split("=")[0], form, chain(ours, host, form), least) for ours, host, form, least in FILTERS]
for way in ("fade", "wipeleft", "wipedown", "slideright", "slideup"):
    graph = pair(f"xfade_opencl={way}:duration=0.5", f"xfade={way}:duration=0.5", "yuv420p")
    GRAPHS.append((f"xfade_opencl {way}", "yuv420p", graph, 28))  # the host's coordinates of sliding pictures are others
GRAPHS += [
    ("xfade_opencl custom", "rgba", pair(f"xfade_opencl=custom:source={PROGRAM}:kernel=half_and_half:duration=0.6",
                                         "blend=all_expr='if(mod(X,2),A,B)'", "rgba"), SAME),
    ("overlay_opencl", "yuv420p",
     f"{PICTURES},format=yuv420p,split[a][b];color=red:size=64x48:rate=5:duration=0.6,format=yuv420p,split[c][d];"
     "[a]hwupload[e];[c]hwupload[f];[e][f]overlay_opencl=x=30:y=20,hwdownload,format=yuv420p[x];"
     "[b][d]overlay=x=30:y=20[y];[x][y]psnr", SAME),
    ("remap_opencl", "rgba",
     f"{PICTURES},format=rgba,split[a][b];"
     "nullsrc=size=192x128:rate=5:duration=0.6,format=gray16le,geq=lum='mod(X*7,192)',split[c][d];"
     "nullsrc=size=192x128:rate=5:duration=0.6,format=gray16le,geq=lum='127-Y',split[e][f];"
     "[a]hwupload[g];[c]hwupload[h];[e]hwupload[i];[g][h][i]remap_opencl=interp=near,hwdownload,format=rgba[x];"
     "[b][d][f]remap,format=rgba[y];[x][y]psnr", SAME),
    ("openclsrc", "gray",
     f"openclsrc=source={PROGRAM}:kernel=ramp:size=192x128:rate=5:format=gray,hwdownload,format=gray,trim=end_frame=3[x];"
     "nullsrc=size=192x128:rate=5,format=gray,geq=lum='mod(X+2*Y+16*N,256)',trim=end_frame=3[y];[x][y]psnr", SAME),
]


def run(graph, *output):
    return subprocess.run(["ffmpeg", "-hide_banner", "-nostdin", "-init_hw_device", "opencl=ocl:0.0", "-filter_hw_device", "ocl",
                           "-filter_complex", graph, *output, "-"], capture_output=True)


def ratio(graph):
    done = run(graph, "-f", "null")
    text = done.stderr.decode()
    found = re.search(r"PSNR .*average:(\S+)", text)
    if done.returncode or not found:
        print(text)
        return None
    return float(found.group(1))


def motion(stabiliser):
    """Mean difference of neighbouring frames of a trembling camera."""
    graph = ("mandelbrot=size=320x240:rate=10:start_scale=0.05:end_scale=0.0499,trim=duration=2,"
             f"crop=256:192:32+6*sin(n*2.1):24+5*cos(n*1.7),format=yuv420p,{stabiliser}")
    done = run(graph, "-pix_fmt", "gray", "-f", "rawvideo")
    if done.returncode:
        print(done.stderr.decode())
        return None
    frames = numpy.frombuffer(done.stdout, numpy.uint8).reshape(-1, 192, 256)[:, 32:-32, 32:-32].astype(float)
    return abs(numpy.diff(frames, axis=0)).mean()


def tonemapped(colour, curve):
    """Y, U and V of the first frame: a colour of HDR in SDR."""
    graph = (f"color={colour}:size=64x48:rate=5:duration=0.2,format=p010,"
             "setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc,"
             f"hwupload,tonemap_opencl={curve}:format=nv12:primaries=bt709:peak=10,hwdownload,format=nv12")
    done = run(graph, "-pix_fmt", "nv12", "-f", "rawvideo")
    size = 64 * 48
    frame = done.stdout[:size * 3 // 2]
    return [set(frame[:size]), set(frame[size::2]), set(frame[size + 1::2])]


failed = 0
for name, form, graph, least in GRAPHS:
    value = ratio(graph)
    good = value is not None and value >= least
    failed += not good
    print(f"{'ok  ' if good else 'BAD '} {name:24} {form:8} {value} dB, at least {least}")
# no filter of the host has these curves: the numbers are Oclgrind's
for colour, curve, right in (("0x808080", "hable", [148, 128, 128]), ("0xa04020", "reinhard", [114, 120, 173])):
    value = tonemapped(colour, curve)
    good = value == [{number} for number in right]
    failed += not good
    print(f"{'ok  ' if good else 'BAD '} tonemap_opencl {curve:9} nv12     {value}, should be {right}")
before, after = motion("null"), motion("hwupload,deshake_opencl=adaptive_crop=0,hwdownload,format=yuv420p")
good = after is not None and after < 0.7 * before
failed += not good
print(f"{'ok  ' if good else 'BAD '} deshake_opencl: frames differ by {before} before, {after} after")
total = len(GRAPHS) + 3
print(f"ffmpeg: {total - failed} of {total} as they should be")
sys.exit(1 if failed else 0)
