/// What the flight recorders of many ranks say together: mismatched and missing collectives, who
/// waits for whom, and where a hang began. No file format may live here; dumps come from
/// [dev.pitwall.trace.flight]. Start reading at [dev.pitwall.observe.flight.Hang].
@NullMarked
package dev.pitwall.observe.flight;

import org.jspecify.annotations.NullMarked;
