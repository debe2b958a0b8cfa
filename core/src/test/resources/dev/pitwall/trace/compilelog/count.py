"""Counts breaks, recompiles, compiled frames and failures of TORCH_TRACE logs, independently of the reader.

One line a file: path, events, breaks, recompiles, compiled frames, failures, payloads that miss their checksum.
"""
import gzip, hashlib, json, re, sys

HEADER = re.compile(rb"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ +[^:]+:\d+\] (?=\{)")


def events(raw):
    event, payload = None, []
    for line in raw.replace(b"\r\n", b"\n").split(b"\n"):
        if line.startswith(b"\t"):
            payload.append(line[1:])
            continue
        if not line:
            continue
        if event is not None:
            yield event, b"\n".join(payload)
        event, payload = None, []
        found = HEADER.search(line)
        if found:
            try:
                event = json.loads(line[found.end():])
            except ValueError:
                pass
    if event is not None:
        yield event, b"\n".join(payload)


for path in sys.argv[1:]:
    raw = open(path, "rb").read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    count = breaks = recompiles = compiled = failures = damaged = 0
    for event, payload in events(raw):
        count += 1
        name = event.get("artifact", {}).get("name")
        breaks += name == "dynamo_graph_break_reason"
        recompiles += name == "recompile_reasons"
        if "has_payload" in event:
            damaged += hashlib.md5(payload).hexdigest() != event["has_payload"]
        metrics = event.get("compilation_metrics")
        if metrics:
            failed = metrics.get("fail_type") is not None
            failures += failed
            compiled += not failed and metrics.get("graph_op_count") != 0
    print(path, count, breaks, recompiles, compiled, failures, damaged, sep="\t")
