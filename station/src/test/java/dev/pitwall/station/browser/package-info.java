/// A small driver of a headless Chromium over its DevTools protocol, for the page's tests.
@NullMarked
package dev.pitwall.station.browser;

import org.jspecify.annotations.NullMarked;
