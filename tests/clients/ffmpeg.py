#!/usr/bin/env python3
"""FFmpeg's OpenCL filters on our platform: each next to FFmpeg's own filter for the host, by the ratio of signal to noise."""
import os
import re
import subprocess
import sys

from client import on_our_platform

on_our_platform()
KERNEL = "0 -1 0 -1 5 -1 0 -1 0"
# OpenCL filter, the host's, format, least ratio in dB (inf: the same pictures)
FILTERS = [
    ("avgblur_opencl=sizeX=3:sizeY=3", "avgblur=sizeX=3:sizeY=3", "yuv420p", 38),  # the host's edges are others
    ("boxblur_opencl=2:1:2:1", "boxblur=2:1:2:1", "yuv420p", 44),
    ("convolution_opencl=" + ":".join(["'%s'" % KERNEL] * 3), "convolution=" + ":".join(["'%s'" % KERNEL] * 3), "yuv420p", 45),
    ("dilation_opencl", "dilation", "gray", float("inf")),
    ("erosion_opencl", "erosion", "gray", float("inf")),
    ("prewitt_opencl", "prewitt", "gray", 50),
    ("roberts_opencl", "roberts", "gray", 50),
    ("sobel_opencl", "sobel", "gray", 50),
    ("transpose_opencl=dir=clock", "transpose=dir=clock", "yuv420p", float("inf")),
    ("transpose_opencl=dir=cclock_flip", "transpose=dir=cclock_flip", "rgba", float("inf")),
    ("unsharp_opencl=lx=5:ly=5:la=1", "unsharp=lx=5:ly=5:la=1", "yuv420p", 44),
    ("pad_opencl=w=iw+32:h=ih+16:x=16:y=8", "pad=w=iw+32:h=ih+16:x=16:y=8", "rgba", float("inf")),
    ("nlmeans_opencl=s=2:p=3:r=5", "nlmeans=s=2:p=3:r=5", "yuv420p", 35),
]


def ratio(ours, host, form):
    graph = (f"testsrc2=size=192x128:rate=5:duration=0.6,format={form},split[a][b];"
             f"[a]hwupload,{ours},hwdownload,format={form}[x];[b]{host},format={form}[y];[x][y]psnr")
    done = subprocess.run(["ffmpeg", "-hide_banner", "-nostdin", "-init_hw_device", "opencl=ocl", "-filter_hw_device", "ocl",
                           "-filter_complex", graph, "-f", "null", "-"], capture_output=True, text=True)
    found = re.search(r"PSNR .*average:(\S+)", done.stderr)
    if done.returncode or not found:
        print(done.stderr)
        return None
    return float(found.group(1))


failed = 0
for ours, host, form, least in FILTERS:
    value = ratio(ours, host, form)
    good = value is not None and value >= least
    failed += not good
    print(f"{'ok  ' if good else 'BAD '} {ours.split('=')[0]:20} {form:8} {value} dB, at least {least}")
print(f"ffmpeg: {len(FILTERS) - failed} of {len(FILTERS)} filters agree with the host's")
sys.exit(1 if failed else 0)
