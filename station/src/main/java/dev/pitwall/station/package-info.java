/// The web station: a loopback server with its API, and the page it serves from the jar.
/// No analysis lives here; numbers come from the report, the index, the tiles and the database.
/// Start reading at [dev.pitwall.station.Station].
@NullMarked
package dev.pitwall.station;

import org.jspecify.annotations.NullMarked;
