/// What the timeline draws: tracks laid out in lanes, and tiles that answer any zoom from a
/// pyramid. No HTTP, no colours and no reading of files may live here. Start reading at
/// [dev.pitwall.station.tile.Timeline], then [dev.pitwall.station.tile.LanePyramid].
@NullMarked
package dev.pitwall.station.tile;

import org.jspecify.annotations.NullMarked;
