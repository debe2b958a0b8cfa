package dev.pitwall.station;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pitwall.error.ExitCode;
import dev.pitwall.error.MemoryShortage;
import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// The running web station. Start it, print [#address], close it.
///
/// Requests run on virtual threads. Every answer carries the strict content security policy; every
/// request passes [RequestGate] first.
public final class Station implements AutoCloseable {
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final Duration BODY_DEADLINE = Duration.ofSeconds(10);
  private static final Duration UPLOAD_SILENCE = Duration.ofSeconds(10);

  /// Within which a request must have arrived, uploads included; the JDK's server closes the rest.
  private static final Duration REQUEST_DEADLINE = Duration.ofMinutes(15);

  static {
    // Small answers must not wait for the peer's acknowledgement, a refused upload must not be read
    // to its end, and half a request must not wait for ever; all are read once, when the JDK's
    // server class loads.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.drainAmount", "0");
    System.setProperty("sun.net.httpserver.maxReqTime", "" + REQUEST_DEADLINE.toSeconds());
  }

  /// How to listen.
  ///
  /// @param host address to listen on; `127.0.0.1` unless the user asked for another
  /// @param port 0 for any free one
  /// @param maximumUploadBytes larger uploads are refused unread
  /// @param recentFile where the list of recently opened runs is kept
  public record Settings(String host, int port, long maximumUploadBytes, Path recentFile) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ExecutorService slowThreads =
      Executors.newFixedThreadPool(
          2, Thread.ofPlatform().daemon().priority(Thread.MIN_PRIORITY).name("slow-", 0).factory());
  private final OpenRuns runs;
  private final RequestGate gate;
  private final Routes routes;
  private final String address;

  private Station(Settings settings) throws IOException {
    server =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getByName(settings.host()), settings.port()), 64);
    int port = server.getAddress().getPort();
    byte[] random = new byte[24];
    new SecureRandom().nextBytes(random);
    String token = HexFormat.of().formatHex(random);
    Set<String> hosts = new HashSet<>();
    for (String name : new String[] {"127.0.0.1", "localhost", "[::1]", settings.host()}) {
      hosts.add(name + ":" + port);
    }
    gate = new RequestGate(token, port, Set.copyOf(hosts));
    address = "http://" + settings.host() + ":" + port + "/?token=" + token;
    runs = new OpenRuns(new RecentRuns(settings.recentFile()));
    routes = new Routes();
    new RunApi(runs, settings.maximumUploadBytes()).addTo(routes);
    new TimelineApi(runs).addTo(routes);
    new SliceApi(runs).addTo(routes);
    new QueryApi(runs).addTo(routes);
    new SimulationApi(runs).addTo(routes);
    new GearApi(runs).addTo(routes);
    server.createContext("/", this::serve);
    server.setExecutor(threads);
    server.start();
  }

  /// Starts listening.
  ///
  /// @throws PitwallException where the address cannot be had
  public static Station start(Settings settings) {
    try {
      return new Station(settings);
    } catch (IOException failure) {
      throw new PitwallException(
          ExitCode.WRONG_USAGE,
          "cannot listen on "
              + settings.host()
              + ":"
              + settings.port()
              + " ("
              + failure.getMessage()
              + "); choose another --port, or 0 for any free one",
          failure);
    }
  }

  /// What to open in the browser: `http://127.0.0.1:PORT/?token=...`.
  public String address() {
    return address;
  }

  /// The runs that the station shows; open paths through it.
  public OpenRuns runs() {
    return runs;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    slowThreads.shutdownNow();
    runs.close();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answer(exchange);
      var headers = exchange.getResponseHeaders();
      headers.set("Content-Type", answer.type());
      headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("Cross-Origin-Resource-Policy", "same-origin");
      headers.set("Cross-Origin-Opener-Policy", "same-origin");
      headers.set("Cache-Control", "no-store");
      if (answer.status() >= 400) {
        // The rest of a refused body stays unread, so the connection cannot be used again.
        headers.set("Connection", "close");
      }
      answer.headers().forEach(headers::set);
      if (exchange.getRequestMethod().equals("HEAD")) {
        headers.set("Content-Length", "" + answer.body().length);
        exchange.sendResponseHeaders(answer.status(), -1);
        return;
      }
      exchange.sendResponseHeaders(answer.status(), answer.body().length);
      exchange.getResponseBody().write(answer.body());
      exchange.getResponseBody().flush();
    }
  }

  private Answer onSlowThread(Callable<Answer> work) throws IOException {
    try {
      return slowThreads.submit(work).get();
    } catch (ExecutionException failed) {
      switch (failed.getCause()) {
        case IOException failure -> throw failure;
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new IllegalStateException(failed);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return Answer.error(503, "the station is shutting down");
    }
  }

  private Answer answer(HttpExchange exchange) {
    try {
      Request request = Request.of(exchange);
      gate.check(request);
      Routes.Route route = routes.find(request);
      if (route != null) {
        // Read here, on the request's own thread: a sender that stalls must not hold a slow one.
        Request whole =
            route.isStreamed()
                ? request.arrivingWithin(UPLOAD_SILENCE, threads)
                : request.read(BODY_DEADLINE, threads);
        return route.isSlow()
            ? onSlowThread(() -> route.handler().handle(whole))
            : route.handler().handle(whole);
      }
      Answer file = request.method().equals("GET") ? PageFiles.find(request.path()) : null;
      if (file == null) {
        return Answer.error(404, "there is nothing at this address");
      }
      return request.path().equals("/")
          ? new Answer(200, file.type(), file.body(), java.util.Map.of("Set-Cookie", gate.cookie()))
          : file;
    } catch (BadRequest refused) {
      return Answer.error(refused.status(), String.valueOf(refused.getMessage()));
    } catch (PitwallException known) {
      return Answer.error(
          known.exitCode() == ExitCode.OUR_FAULT ? 500 : 422, String.valueOf(known.getMessage()));
    } catch (OutOfMemoryError tooLarge) {
      return Answer.error(
          503, String.valueOf(MemoryShortage.of("this request", tooLarge).getMessage()));
    } catch (StackOverflowError tooDeep) {
      return Answer.error(503, "this is nested too deeply for Pitwall; ask for less of it");
    } catch (IOException | RuntimeException fault) {
      return Answer.error(
          500, "this is a fault of Pitwall's own (" + fault + "); please report it");
    }
  }
}
