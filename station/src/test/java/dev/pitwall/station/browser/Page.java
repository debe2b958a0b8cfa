package dev.pitwall.station.browser;

import dev.pitwall.json.Json;
import dev.pitwall.json.JsonWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// One tab. Everything waits in the page itself, frame by frame, never by sleeping here.
public final class Page {
  private static final int PATIENCE_MILLIS = 20_000;

  private final DevTools tools;
  private final String session;
  private final String target;
  private boolean pressed;
  private final List<String> complaints = new CopyOnWriteArrayList<>();

  Page(DevTools tools, String session, String target) {
    this.tools = tools;
    this.session = session;
    this.target = target;
  }

  void prepare(int width, int height, boolean dark) {
    send("Page.enable", json -> {});
    send("Runtime.enable", json -> {});
    send("Log.enable", json -> {});
    send(
        "Emulation.setDeviceMetricsOverride",
        json ->
            json.key("width")
                .value(width)
                .key("height")
                .value(height)
                .key("deviceScaleFactor")
                .value(1)
                .key("mobile")
                .value(false));
    send(
        "Emulation.setEmulatedMedia",
        json ->
            json.key("features")
                .array()
                .object()
                .key("name")
                .value("prefers-color-scheme")
                .key("value")
                .value(dark ? "dark" : "light")
                .end()
                .end());
  }

  public void navigate(String address) {
    send("Page.navigate", json -> json.key("url").value(address));
    waitFor("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  /// The value of a JavaScript expression; a promise is awaited.
  public Json evaluate(String expression) {
    Json result =
        send(
            "Runtime.evaluate",
            json ->
                json.key("expression")
                    .value(expression)
                    .key("awaitPromise")
                    .value(true)
                    .key("returnByValue")
                    .value(true));
    if (!result.get("exceptionDetails").isNull()) {
      throw new AssertionError(
          expression
              + " threw "
              + result.get("exceptionDetails").get("exception").get("description").text(""));
    }
    return result.get("result").get("value");
  }

  /// The text of the first element that matches, empty where there is none.
  public String text(String selector) {
    return evaluate("document.querySelector(" + quoted(selector) + ")?.textContent ?? ''").text("");
  }

  /// Waits until an expression is true.
  public void waitFor(String expression) {
    boolean held =
        evaluate(
                "new Promise(resolve => { const until = Date.now() + "
                    + PATIENCE_MILLIS
                    + "; const look = () => { let held = false; try { held = !!("
                    + expression
                    + "); } catch { held = false; } if (held || Date.now() > until) resolve(held);"
                    + " else setTimeout(look, 16); }; look(); })")
            .bool(false);
    if (!held) {
      throw new AssertionError(
          "waited in vain for " + expression + "; the page complained: " + complaints);
    }
  }

  /// Clicks the middle of the first element that matches, once it is there.
  public void click(String selector) {
    waitFor("document.querySelector(" + quoted(selector) + ")");
    Json box =
        evaluate(
            "(() => { const e = document.querySelector("
                + quoted(selector)
                + "); e.scrollIntoView({ block: 'nearest' }); const b = e.getBoundingClientRect();"
                + " return [b.left + b.width / 2, b.top + b.height / 2]; })()");
    click(box.get(0).number(0), box.get(1).number(0));
  }

  public void click(double x, double y) {
    mouse("mouseMoved", x, y, 0, 0);
    mouse("mousePressed", x, y, 0, 0);
    mouse("mouseReleased", x, y, 0, 0);
  }

  /// Presses at one place, moves and releases at another.
  ///
  /// @param modifiers 8 for Shift
  public void drag(double fromX, double fromY, double toX, double toY, int modifiers) {
    mouse("mouseMoved", fromX, fromY, 0, modifiers);
    mouse("mousePressed", fromX, fromY, 0, modifiers);
    for (int step = 1; step <= 4; step++) {
      mouse(
          "mouseMoved",
          fromX + (toX - fromX) * step / 4,
          fromY + (toY - fromY) * step / 4,
          0,
          modifiers);
    }
    mouse("mouseReleased", toX, toY, 0, modifiers);
  }

  public void wheel(double x, double y, double deltaY) {
    mouse("mouseWheel", x, y, deltaY, 0);
  }

  /// Types into whatever has the focus.
  public void type(String text) {
    send("Input.insertText", json -> json.key("text").value(text));
  }

  /// Presses a key by its name, such as `Enter` or `w`.
  public void key(String name) {
    for (String kind : List.of("keyDown", "keyUp")) {
      send(
          "Input.dispatchKeyEvent",
          json -> {
            json.key("type").value(kind).key("key").value(name);
            if (name.length() == 1) {
              json.key("text").value(kind.equals("keyDown") ? name : "");
            }
            if (name.equals("Enter")) {
              json.key("windowsVirtualKeyCode").value(13);
            }
          });
    }
  }

  public void screenshot(Path file) {
    byte[] picture =
        Base64.getDecoder()
            .decode(
                send("Page.captureScreenshot", json -> json.key("format").value("png"))
                    .get("data")
                    .text(""));
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.write(file, picture);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// What the page wrote as errors: exceptions, refused resources, violations of the policy.
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  public void close() {
    tools.send("Target.closeTarget", null, json -> json.key("targetId").value(target));
  }

  void event(Json message) {
    String method = message.get("method").text("");
    Json parameters = message.get("params");
    if (method.equals("Runtime.exceptionThrown")) {
      Json details = parameters.get("exceptionDetails");
      complaints.add(
          details.get("text").text("")
              + " "
              + details.get("exception").get("description").text(""));
    } else if (method.equals("Log.entryAdded")
        && parameters.get("entry").get("level").text("").equals("error")) {
      complaints.add(
          parameters.get("entry").get("text").text("")
              + " "
              + parameters.get("entry").get("url").text(""));
    }
  }

  static String quoted(String text) {
    return new JsonWriter().value(text).toString();
  }

  private void mouse(String type, double x, double y, double deltaY, int modifiers) {
    pressed = type.equals("mousePressed") || pressed && !type.equals("mouseReleased");
    send(
        "Input.dispatchMouseEvent",
        json -> {
          json.key("type").value(type).key("x").value(x).key("y").value(y);
          json.key("modifiers").value(modifiers);
          if (type.equals("mouseWheel")) {
            json.key("deltaX").value(0).key("deltaY").value(deltaY);
          } else if (!type.equals("mouseMoved")) {
            json.key("button").value("left").key("clickCount").value(1);
          } else {
            json.key("button")
                .value(pressed ? "left" : "none")
                .key("buttons")
                .value(pressed ? 1 : 0);
          }
        });
  }

  private Json send(String method, Consumer<JsonWriter> parameters) {
    return tools.send(method, session, parameters);
  }
}
