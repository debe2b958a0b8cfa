package dev.pitwall.station;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.json.Json;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.TinyTrace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StationTest {
  private static final String HOSTILE =
      "<script>alert('x')</script>\"&<img src=x onerror=alert(1)>";

  @TempDir static Path folder;
  private static Station station;
  private static URI address;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @BeforeAll
  static void start() {
    station =
        Station.start(
            new Station.Settings(
                "127.0.0.1", 0, 1 << 20, folder.resolve("state").resolve("recent")));
    address = URI.create(station.address());
    station
        .runs()
        .open(
            "hostile",
            List.of(
                new TinyTrace()
                    .cpu("1", Category.USER_ANNOTATION, "ProfilerStep#0", 0, 200)
                    .cpu("1", Category.CPU_OP, HOSTILE, 0, 100)
                    .cpu("1", Category.RUNTIME, "cudaLaunchKernel", 10, 5, 1)
                    .device(7, Category.KERNEL, HOSTILE, 20, 50, 1)
                    .build()))
        .join();
  }

  @AfterAll
  static void stop() {
    station.close();
  }

  private static String token() {
    return address.getQuery().substring("token=".length());
  }

  private static HttpRequest.Builder request(String path) {
    String separator = path.contains("?") ? "&" : "?";
    return HttpRequest.newBuilder(address.resolve(path + separator + "token=" + token()));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /// Sends a request as written, for what HTTP clients refuse to send.
  private static String raw(String... lines) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", address.getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      return in.readLine();
    }
  }

  @Test
  void theAddressIsLoopbackWithARandomToken() {
    assertThat(station.address()).matches("http://127\\.0\\.0\\.1:\\d+/\\?token=[0-9a-f]{48}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/api/runs", "/api/report", "/app.js", "/vendor/preact.js"})
  void withoutTheTokenNothingIsServed(String path) throws Exception {
    assertThat(send(HttpRequest.newBuilder(address.resolve(path))).statusCode()).isEqualTo(401);
    assertThat(send(HttpRequest.newBuilder(address.resolve(path + "?token=00"))).statusCode())
        .isEqualTo(401);
  }

  @Test
  void aRequestForTheHeadersAloneIsAnsweredWithThem() throws Exception {
    HttpResponse<String> answer =
        send(request("/page.css").method("HEAD", HttpRequest.BodyPublishers.noBody()));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValueAsLong("Content-Length").orElse(0)).isPositive();
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void aSenderThatFallsSilentIsGivenUp() throws Exception {
    try (PipedInputStream body = new PipedInputStream();
        PipedOutputStream sender = new PipedOutputStream(body);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        ArrivingBody arriving = new ArrivingBody(body, Duration.ofMillis(200), threads)) {
      sender.write('{');
      sender.flush();
      assertThat(arriving.read()).isEqualTo('{');
      assertThatThrownBy(arriving::read)
          .isInstanceOf(BadRequest.class)
          .hasMessageContaining("nothing more of the file arrived");
      sender.close();
    }
  }

  @Test
  void theFirstPageGivesACookieThatIsEnoughFromThenOn() throws Exception {
    String cookie = send(request("/")).headers().firstValue("Set-Cookie").orElseThrow();

    assertThat(cookie).contains("HttpOnly").contains("SameSite=Strict");
    assertThat(
            send(HttpRequest.newBuilder(address.resolve("/api/runs"))
                    .header("Cookie", cookie.substring(0, cookie.indexOf(';'))))
                .statusCode())
        .isEqualTo(200);
    assertThat(
            send(HttpRequest.newBuilder(address.resolve("/api/runs"))
                    .header("Authorization", "Bearer " + token()))
                .statusCode())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "Host: evil.example, 403",
    "Host: 127.0.0.1.evil.example, 403",
    "Host: 127.0.0.1:1, 403",
  })
  void aForeignHostIsRefused(String header, String status) throws Exception {
    assertThat(raw("GET /api/runs?token=" + token() + " HTTP/1.1", header)).contains(" " + status);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1:1",
        "Origin: https://127.0.0.1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site"
      })
  void aForeignOriginIsRefusedEvenWithTheToken(String header) throws Exception {
    assertThat(
            raw(
                "POST /api/query?token=" + token() + " HTTP/1.1",
                "Host: 127.0.0.1:" + address.getPort(),
                "Content-Length: 0",
                header))
        .contains(" 403");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../../../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/vendor/../../views.sql",
        "/page.css/..",
        "//etc/passwd",
        "/views.sql",
        "/Station.class"
      })
  void noPathLeadsOutOfThePage(String path) throws Exception {
    assertThat(
            raw(
                "GET " + path + "?token=" + token() + " HTTP/1.1",
                "Host: 127.0.0.1:" + address.getPort()))
        .containsAnyOf(" 400", " 404");
  }

  @Test
  void anUploadOfTenGigabytesIsRefusedUnread() throws Exception {
    assertThat(
            raw(
                "POST /api/upload?name=x.json&token=" + token() + " HTTP/1.1",
                "Host: 127.0.0.1:" + address.getPort(),
                "Content-Length: 10737418240"))
        .contains(" 413");
  }

  @Test
  void aQueryThatDeclaresMoreThanOneMegabyteIsRefusedUnread() throws Exception {
    assertThat(
            raw(
                "POST /api/query?token=" + token() + " HTTP/1.1",
                "Host: 127.0.0.1:" + address.getPort(),
                "Content-Length: 1048577"))
        .contains(" 413");
  }

  @Test
  void bodiesThatStallHoldUpNobodyElseAndAreGivenUp() throws Exception {
    String stalled =
        String.join(
            "\r\n",
            "POST /api/query?token=" + token() + " HTTP/1.1",
            "Host: 127.0.0.1:" + address.getPort(),
            "Content-Length: 100",
            "",
            "{");
    try (Socket first = new Socket("127.0.0.1", address.getPort());
        Socket second = new Socket("127.0.0.1", address.getPort());
        Socket third = new Socket("127.0.0.1", address.getPort())) {
      for (Socket socket : List.of(first, second, third)) {
        socket.getOutputStream().write(stalled.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
      }
      assertThat(
              send(request("/api/query")
                      .POST(HttpRequest.BodyPublishers.ofString("{\"sql\": \"SELECT 1\"}")))
                  .statusCode())
          .isEqualTo(200);
      assertThat(new String(first.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 408");
    }
  }

  @Test
  void anUploadWithANameThatNoFileHasIsRefused() throws Exception {
    assertThat(
            send(request("/api/upload?name=a%00b.json")
                    .POST(HttpRequest.BodyPublishers.ofString("{}")))
                .statusCode())
        .isEqualTo(400);
  }

  @Test
  void anUploadThatHidesItsLengthIsStoppedAtTheLimit() throws Exception {
    HttpResponse<String> answer =
        send(
            request("/api/upload?name=x.json")
                .POST(
                    HttpRequest.BodyPublishers.ofInputStream(
                        () -> new java.io.ByteArrayInputStream(new byte[(1 << 20) + 1]))));

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(Json.parse(answer.body()).get("error").text("")).contains("at most 1 MiB");
  }

  @Test
  void aBrokenFileIsAnsweredWithASentenceThatNamesItAsTheUserDoes() throws Exception {
    HttpResponse<String> answer =
        send(
            request("/api/upload?name=..%2F..%2Fmy%20trace.json")
                .POST(HttpRequest.BodyPublishers.ofString("this is no trace")));

    assertThat(answer.statusCode()).isEqualTo(422);
    String sentence = Json.parse(answer.body()).get("error").text("");
    assertThat(sentence).startsWith("my trace.json ").doesNotContain("pitwall-upload");
  }

  @Test
  void everyAnswerCarriesThePolicyThatForbidsInlineScripts() throws Exception {
    for (String path : List.of("/", "/api/runs", "/nothing")) {
      String policy =
          send(request(path)).headers().firstValue("Content-Security-Policy").orElseThrow();
      assertThat(policy).contains("default-src 'none'").contains("script-src 'self'");
      assertThat(policy).doesNotContain("unsafe");
    }
  }

  @Test
  void aQueryIsReadOnlyAndItsErrorIsASentence() throws Exception {
    HttpResponse<String> answer =
        send(
            request("/api/query")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"sql\": \"SELECT name FROM slices WHERE category = 'kernel'\"}")));
    assertThat(Json.parse(answer.body()).get("rows").get(0).get(0).text("")).isEqualTo(HOSTILE);

    HttpResponse<String> refused =
        send(
            request("/api/query")
                .POST(HttpRequest.BodyPublishers.ofString("{\"sql\": \"DROP VIEW slices\"}")));
    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(refused.body()).contains("read-only");
  }

  @Test
  void aSliceIsToldWithItsLaunchItsOperatorAndItsPlace() throws Exception {
    Json run = Json.parse(send(request("/api/run")).body());
    assertThat(run.get("tracks").get(0).get("label").text("")).isEqualTo("thread 1");

    Json search = Json.parse(send(request("/api/search?q=onerror")).body());
    assertThat(search.get("total").integer(0)).isEqualTo(2);

    long row = search.get("hits").get(1).get(1).integer(-1);
    Json slice = Json.parse(send(request("/api/slice?rank=0&row=" + row)).body());
    assertThat(slice.get("launch").get("name").text("")).isEqualTo("cudaLaunchKernel");
    assertThat(slice.get("operator").get("name").text("")).isEqualTo(HOSTILE);
    assertThat(slice.get("start_ns").integer(0)).isEqualTo(20_000);
    assertThat(slice.get("step").integer(-1)).isEqualTo(0);
  }

  @Test
  void aRangeIsSummedWithWhatSticksOutCut() throws Exception {
    Json sums = Json.parse(send(request("/api/statistics?from=0&to=45000&tracks=1")).body());

    assertThat(sums.get("names").get(0).get("total_ns").integer(0)).isEqualTo(25_000);
    assertThat(sums.get("tracks").get(0).get("busy_ns").integer(0)).isEqualTo(25_000);
  }

  @Test
  void recentRunsAreOpenedByNumberAndNeverByPath() throws Exception {
    Path trace = folder.resolve("small.json");
    Files.writeString(
        trace,
        "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\":"
            + " 1, \"tid\": 1, \"ts\": 1, \"dur\": 2}]}");
    station.runs().open(trace).join();

    Json recent = Json.parse(send(request("/api/recent")).body());
    assertThat(recent.get(0).get("name").text("")).isEqualTo("small.json");
    assertThat(
            send(request("/api/recent")
                    .POST(
                        HttpRequest.BodyPublishers.ofString(
                            "{\"number\": 0, \"name\": \"small.json\"}")))
                .statusCode())
        .isEqualTo(200);
    assertThat(
            send(request("/api/recent")
                    .POST(
                        HttpRequest.BodyPublishers.ofString(
                            "{\"number\": 0, \"name\": \"/etc/passwd\"}")))
                .statusCode())
        .isEqualTo(404);
  }
}
