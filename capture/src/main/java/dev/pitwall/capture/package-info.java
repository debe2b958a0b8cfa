/// Runs the user's own Python program under Pitwall's eyes and reads what it left behind.
/// No analysis of traces may live here, and nothing here prints; the Python part is in
/// `src/main/python`.
/// Start reading at [dev.pitwall.capture.ProgramRun], which starts a program, and
/// [dev.pitwall.capture.CaptureFolder], which reads a recording.
@NullMarked
package dev.pitwall.capture;

import org.jspecify.annotations.NullMarked;
