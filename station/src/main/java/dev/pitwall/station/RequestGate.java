package dev.pitwall.station;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Who may talk to the station: only pages that the station itself served, at the address it
/// printed.
///
/// A foreign `Host` means DNS rebinding, a foreign `Origin` or `Sec-Fetch-Site` means another
/// site's page (a page on another port of this machine included), and a missing token means someone
/// who was not given the address. The token comes as `?token=`, as `Authorization: Bearer`, or in
/// the cookie that the first page sets; cookies do not know ports, so its name carries the port.
final class RequestGate {
  private final String token;
  private final String cookieName;
  private final Set<String> hosts;

  /// @param hosts the authorities that the station answers to, such as `127.0.0.1:8080`
  RequestGate(String token, int port, Set<String> hosts) {
    this.token = token;
    this.hosts = hosts;
    cookieName = "pitwall_" + port;
  }

  /// The header value that keeps the token in the browser until it closes.
  String cookie() {
    return cookieName + "=" + token + "; Path=/; HttpOnly; SameSite=Strict";
  }

  /// @throws BadRequest (403 or 401) where the request is not ours
  void check(Request request) {
    String host = request.header("host");
    if (host == null || !hosts.contains(host)) {
      throw new BadRequest(403, "this station does not answer to that host name");
    }
    String origin = request.header("origin");
    if (origin != null && !isOurs(origin)) {
      throw new BadRequest(403, "this station does not answer to other sites");
    }
    String site = request.header("sec-fetch-site");
    boolean navigates = "navigate".equals(request.header("sec-fetch-mode"));
    if (site != null && !site.equals("same-origin") && !site.equals("none") && !navigates) {
      throw new BadRequest(403, "this station does not answer to other sites");
    }
    if (request.path().contains("..") || request.path().contains("\\")) {
      throw new BadRequest(400, "there is nothing outside of what was opened");
    }
    if (!knowsToken(request)) {
      throw new BadRequest(401, "open the address that pitwall printed: it carries the token");
    }
  }

  private boolean isOurs(String origin) {
    try {
      URI uri = URI.create(origin);
      return "http".equals(uri.getScheme()) && hosts.contains(uri.getAuthority());
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  private boolean knowsToken(Request request) {
    String bearer = request.header("authorization");
    return isToken(request.query().get("token"))
        || isToken(bearer != null && bearer.startsWith("Bearer ") ? bearer.substring(7) : null)
        || isToken(cookieOf(request));
  }

  private @Nullable String cookieOf(Request request) {
    String cookies = request.header("cookie");
    if (cookies != null) {
      for (String cookie : cookies.split(";")) {
        if (cookie.strip().startsWith(cookieName + "=")) {
          return cookie.strip().substring(cookieName.length() + 1);
        }
      }
    }
    return null;
  }

  private boolean isToken(@Nullable String given) {
    return given != null
        && MessageDigest.isEqual(
            given.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
  }
}
