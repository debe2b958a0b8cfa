/// What-if answers as text for a terminal and as JSON (`pitwall.whatif/1`). Nothing here applies a
/// change or simulates one. Start reading at [dev.pitwall.report.whatif.WhatIfJson].
@NullMarked
package dev.pitwall.report.whatif;

import org.jspecify.annotations.NullMarked;
