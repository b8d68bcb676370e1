-- Work that was put off, what models were asked and paid, the trace, folders that are kept in step, spaces that a bank moves between.

create sequence job_ids;

-- State: waiting → running → done | waiting (after a pause) | dead | cancelled. Jobs of one document run in their order.
create table jobs (
  bank_id integer not null references banks on delete cascade,
  job_id bigint not null,
  kind text not null,
  document_id bigint,
  state text not null check (state in ('waiting', 'running', 'done', 'dead', 'cancelled')),
  payload jsonb not null default '{}',
  attempts smallint not null default 0,
  max_attempts smallint not null,
  run_after timestamptz not null,
  lease_until timestamptz,
  worker text,
  error_code text,
  error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  trace_id text,
  calls integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd double precision not null default 0,
  result jsonb not null default '{}',
  primary key (bank_id, job_id),
  foreign key (bank_id, document_id) references documents on delete cascade
);
create index jobs_waiting on jobs (bank_id, run_after, job_id) where state = 'waiting';
create index jobs_running on jobs (bank_id, lease_until) where state = 'running';
create index jobs_by_document on jobs (bank_id, document_id, job_id);

-- A chunk that a model has written cues for: what it was shown (a hash), by which model and prompt. The same input is never paid for twice.
create table enrichments (
  bank_id integer not null,
  chunk_id bigint not null,
  input_hash bytea not null,
  model_id text not null,
  prompt text not null,
  made_at timestamptz not null,
  written smallint not null,
  kept smallint not null,
  primary key (bank_id, chunk_id),
  foreign key (bank_id, chunk_id) references chunks on delete cascade
);
create index enrichments_by_input on enrichments (bank_id, input_hash);

-- What was spent, by day (UTC): budgets are judged by it, whatever becomes of the trace.
create table model_usage (
  bank_id integer not null references banks on delete cascade,
  day date not null,
  model_id text not null,
  purpose text not null,
  calls integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_usd double precision not null,
  primary key (bank_id, day, model_id, purpose)
);

-- The trace. Event ids sort by the time at which a row was noted, `at` is when what it tells of began; rows with one trace_id came of one public call, job or pass. No foreign keys: a row outlives what it tells of,
-- and forgetting looks through them by document and by words.
create table retain_events (
  bank_id integer not null references banks on delete cascade,
  event_id text not null,
  trace_id text not null,
  at timestamptz not null,
  duration_ms real not null,
  error_code text,
  document_id bigint,
  source text,
  status text not null,
  chunks integer not null,
  cues integer not null,
  vectors integer not null,
  caller_questions boolean not null,
  primary key (bank_id, event_id)
);
create index retain_events_by_trace on retain_events (bank_id, trace_id);
create index retain_events_by_time on retain_events (bank_id, at);

create table recall_events (
  bank_id integer not null references banks on delete cascade,
  event_id text not null,
  trace_id text not null,
  at timestamptz not null,
  duration_ms real not null,
  error_code text,
  receipt_id text,
  message text,
  queries text[],
  passages integer not null,
  degraded text[] not null,
  stages jsonb not null,
  primary key (bank_id, event_id)
);
create index recall_events_by_trace on recall_events (bank_id, trace_id);
create index recall_events_by_time on recall_events (bank_id, at);
create index recall_events_by_receipt on recall_events (bank_id, receipt_id);

create table formulate_events (
  bank_id integer not null references banks on delete cascade,
  event_id text not null,
  trace_id text not null,
  at timestamptz not null,
  duration_ms real not null,
  error_code text,
  message text,
  by text not null,
  queries text[],
  error_kind text,
  primary key (bank_id, event_id)
);
create index formulate_events_by_trace on formulate_events (bank_id, trace_id);
create index formulate_events_by_time on formulate_events (bank_id, at);

create table model_calls (
  bank_id integer not null references banks on delete cascade,
  event_id text not null,
  trace_id text not null,
  at timestamptz not null,
  duration_ms real not null,
  error_code text,
  call_id text not null,
  purpose text not null,
  model_id text not null,
  attempt smallint not null,
  system text,
  prompt text,
  reply text,
  finish_reason text,
  input_tokens integer,
  output_tokens integer,
  reasoning_tokens integer,
  cost_usd double precision,
  error text,
  document_ids bigint[] not null,
  job_id bigint,
  primary key (bank_id, event_id)
);
create index model_calls_by_trace on model_calls (bank_id, trace_id);
create index model_calls_by_time on model_calls (bank_id, at);

create table answer_events (
  bank_id integer not null references banks on delete cascade,
  event_id text not null,
  trace_id text not null,
  at timestamptz not null,
  duration_ms real not null,
  error_code text,
  receipt_ids text[] not null,
  question text,
  status text not null,
  answer text,
  citations integer not null,
  hops integer not null,
  primary key (bank_id, event_id)
);
create index answer_events_by_trace on answer_events (bank_id, trace_id);
create index answer_events_by_time on answer_events (bank_id, at);

create table job_events (
  bank_id integer not null references banks on delete cascade,
  event_id text not null,
  trace_id text not null,
  at timestamptz not null,
  duration_ms real not null,
  error_code text,
  job_id bigint not null,
  kind text not null,
  document_id bigint,
  event text not null,
  attempt smallint not null,
  error text,
  primary key (bank_id, event_id)
);
create index job_events_by_trace on job_events (bank_id, trace_id);
create index job_events_by_time on job_events (bank_id, at);

create table sweep_events (
  bank_id integer not null references banks on delete cascade,
  event_id text not null,
  trace_id text not null,
  at timestamptz not null,
  duration_ms real not null,
  error_code text,
  root text not null,
  seen integer not null,
  created integer not null,
  updated integer not null,
  moved integer not null,
  deleted integer not null,
  failed jsonb not null,
  primary key (bank_id, event_id)
);
create index sweep_events_by_trace on sweep_events (bank_id, trace_id);
create index sweep_events_by_time on sweep_events (bank_id, at);

-- A folder that is kept in step with its documents, and the sweeper that holds it. labels: hash of what every document is given;
-- device: the file system that the last pass saw.
create sequence sweep_root_ids;
create table sweep_roots (
  bank_id integer not null references banks on delete cascade,
  root_id bigint not null,
  root text not null,
  source_prefix text not null,
  holder text,
  held_until timestamptz,
  device text,
  labels text,
  passes bigint not null default 0,
  last_pass_at timestamptz,
  last_error text,
  primary key (bank_id, root_id),
  unique (bank_id, root, source_prefix)
);

-- What the last pass saw of each file: one whose size, time and inode are the same is not read again.
-- missing: 0 there, 1 marked by a pass that did not find it (or found it empty), 2 its document was deleted and the file is there, empty.
-- problem: code of why it has no document of this content; changed_at: when the row was written.
create table sweep_files (
  bank_id integer not null,
  root_id bigint not null,
  path text not null,
  size bigint,
  modified_ms double precision,
  inode text,
  content_hash text,
  problem text,
  reason text,
  missing smallint not null default 0,
  changed_at timestamptz not null,
  primary key (bank_id, root_id, path),
  foreign key (bank_id, root_id) references sweep_roots on delete cascade
);

-- retired: a space that the bank was in before, kept to go back to. Settings: those under which a memory has the space's model;
-- null where only a caller's code has it.
alter table bank_spaces drop constraint bank_spaces_state_check;
alter table bank_spaces add constraint bank_spaces_state_check check (state in ('active', 'shadow', 'retired'));
alter table bank_spaces add column since timestamptz;
alter table bank_spaces add column settings jsonb;
