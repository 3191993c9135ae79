"""Chromium without a window, driven by chromedriver over WebDriver, with nothing but the standard library."""
import base64
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

KEYS = {"Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Home": "\ue011", "End": "\ue010",
        "Shift": "\ue008", "Enter": "\ue007", "Escape": "\ue00c"}


class Browser:
    def __init__(self, scratch, width=1440, height=900):
        home = os.path.join(scratch, "home")
        os.makedirs(home, exist_ok=True)
        environment = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=home)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       env=environment, text=True)
        self.port = None
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.port = int(line.split("port")[1].strip(" .\n"))
                break
        assert self.port, "chromedriver did not start"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--force-device-scale-factor=1", "--no-first-run", f"--window-size={width},{height}",
                     f"--user-data-dir={home}/profile"]
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=600) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:600]}") from error

    def post(self, path, body):
        return self.call("POST", self.session + path, body)

    def open(self, path, seconds=120):
        """Loads a page of ours and waits until it is ready."""
        self.post("/url", {"url": "about:blank"})
        self.post("/url", {"url": "file://" + path})
        self.wait("return document.body.dataset.state != 'loading'", seconds)

    def wait(self, script, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise RuntimeError(f"never: {script}")
            time.sleep(0.05)

    def run(self, script, *arguments):
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.post("/execute/async", {"script": "const done = arguments[0];"
                                     "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))", "args": []})

    def keys(self, *names):
        """Presses keys; "Shift+Right" holds one."""
        for name in names:
            held, key = name.split("+") if "+" in name[:-1] else (None, name)
            actions = [{"type": "keyDown", "value": KEYS[held]}] if held else []
            actions += [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
            actions += [{"type": "keyUp", "value": KEYS[held]}] if held else []
            self.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})
        self.settle()

    def click(self, x, y):
        self.post("/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})
        self.settle()

    def click_on(self, selector):
        box = self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'});"
                       "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", selector)
        self.click(*box)

    def type(self, selector, text):
        self.run("const e = document.querySelector(arguments[0]); e.focus(); e.value = arguments[1];"
                 "e.dispatchEvent(new Event('input'))", selector, text)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def data(self):
        """The cursor: launch, warp, step, cycle."""
        return {key: int(value) for key, value in
                self.run("const {launch, warp, step, cycle} = document.body.dataset; return {launch, warp, step, cycle}").items()}

    def resize(self, width, height):
        self.post("/window/rect", {"width": width, "height": height})
        self.settle()

    def log(self):
        """What went to the console since the last call, warnings and errors only."""
        return [entry["message"] for entry in self.post("/se/log", {"type": "browser"}) if entry["level"] in ("WARNING", "SEVERE")]

    def screenshot(self):
        return Picture(base64.b64decode(self.call("GET", self.session + "/screenshot")))


class Picture:
    """A screenshot as rows of red, green and blue."""

    def __init__(self, png):
        ppm = subprocess.run(["pngtopnm"], input=png, capture_output=True, check=True).stdout
        kind, self.width, self.height, most, body = re.match(rb"(P6)\s+(\d+)\s+(\d+)\s+(\d+)\s(.*)", ppm, re.DOTALL).groups()
        assert kind == b"P6" and most == b"255"
        self.width, self.height = int(self.width), int(self.height)
        self.rows = [body[y * 3 * self.width:(y + 1) * 3 * self.width] for y in range(self.height)]

    def at(self, x, y):
        x, y = round(x) * 3, round(y)
        return tuple(self.rows[y][x:x + 3])

    def cells(self, columns, lines):
        """Average colours of a coarse grid, row by row."""
        result = []
        for line in range(lines):
            ys = range(line * self.height // lines, (line + 1) * self.height // lines)
            for column in range(columns):
                left, right = column * self.width // columns, (column + 1) * self.width // columns
                count = len(ys) * (right - left)
                result.append([sum(sum(self.rows[y][left * 3 + part:right * 3:3]) for y in ys) // count
                               for part in range(3)])
        return result
