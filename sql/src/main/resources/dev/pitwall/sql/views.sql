-- The public views of a trace; docs/sql.md says what each column means. Statements end with ';'
-- at the end of a line. NULL stands for what the recorder did not give.

CREATE VIEW tracks AS
SELECT track_id, rank, kind, track, process, thread, device, stream FROM raw_tracks();

CREATE VIEW slices AS
SELECT s.slice_id, t.rank, t.track, t.kind AS track_kind,
       ['cpu_op', 'user_annotation', 'gpu_user_annotation', 'python_function', 'runtime', 'driver',
        'kernel', 'memcpy', 'memset', 'device_sync', 'overhead', 'os_runtime', 'other'
       ][s.category + 1] AS category,
       n.name, s.start_ns, s.dur_ns, s.start_ns + s.dur_ns AS end_ns, s.self_ns, s.step,
       s.parent_id, s.correlation, s.external_id, t.device, t.stream
FROM raw_slices() s
JOIN raw_tracks() t ON t.track_id = s.track_id
JOIN raw_names() n ON n.name_id = s.name_id;

CREATE VIEW operators AS
SELECT s.slice_id, t.rank, t.track, n.name, s.start_ns, s.dur_ns, s.self_ns, s.step, s.parent_id,
       nullif(shapes.name, '') AS input_shapes, nullif(dtypes.name, '') AS input_types,
       nullif(inputs.name, '') AS concrete_inputs, o.sequence
FROM raw_operators() o
JOIN raw_slices() s ON s.slice_id = o.slice_id
JOIN raw_tracks() t ON t.track_id = s.track_id
JOIN raw_names() n ON n.name_id = s.name_id
LEFT JOIN raw_names() shapes ON shapes.name_id = o.shapes_id
LEFT JOIN raw_names() dtypes ON dtypes.name_id = o.dtypes_id
LEFT JOIN raw_names() inputs ON inputs.name_id = o.inputs_id;

CREATE VIEW launches AS
SELECT l.kernel_id, l.launch_id, l.operator_id, t.rank, t.device, t.stream,
       ['kernel', 'memcpy', 'memset'][l.category - 5] AS category,
       k.name AS kernel, a.name AS api, o.name AS operator, l.step,
       l.launch_start_ns, l.launch_dur_ns, l.kernel_start_ns, l.kernel_dur_ns,
       l.kernel_start_ns - l.launch_start_ns AS delay_ns,
       l.launch_id IS NULL AS orphan,
       l.grid, l.block, l.registers_per_thread, l.shared_bytes, l.bytes,
       l.collective, l.input_elements, l.group_size
FROM raw_launches() l
JOIN raw_tracks() t ON t.track_id = l.track_id
JOIN raw_names() k ON k.name_id = l.kernel_name_id
LEFT JOIN raw_names() a ON a.name_id = l.api_name_id
LEFT JOIN raw_names() o ON o.name_id = l.operator_name_id;

CREATE VIEW steps AS
SELECT rank, step, name, start_ns, end_ns, end_ns - start_ns AS dur_ns, cpu_start_ns, cpu_end_ns
FROM raw_steps();

CREATE VIEW findings AS
SELECT id, severity, title, why, fix, code, link, gain_ms, gain_low_ms, gain_high_ms, gain_fraction,
       basis
FROM raw_findings();

CREATE VIEW evidence AS
SELECT finding_id, rank, track, name, start_ns, dur_ns, at_ms FROM raw_evidence();

CREATE VIEW counters AS
SELECT rank, name, unit, device, time_ns, value FROM raw_counters();

CREATE VIEW memory AS
SELECT rank, time_ns, device, delta_bytes, allocated_bytes, reserved_bytes FROM raw_memory();

CREATE VIEW losses AS
SELECT rank, code, count, text FROM raw_losses();
