/// Judges a program's DataLoader that was run alone under several settings.
/// The running is done by `stress.py`; nothing here starts a program or prints.
/// Start reading at [dev.pitwall.capture.loader.LoaderReport].
@NullMarked
package dev.pitwall.capture.loader;

import org.jspecify.annotations.NullMarked;
