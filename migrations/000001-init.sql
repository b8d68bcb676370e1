-- Prolepsis schema 1. Every key begins with bank_id, every query names it: a bank can be a hash partition or a shard.
-- Bulk tables (postings, terms of chunks, vectors) carry no foreign keys: COPY speed; deletion is by chunk, doctor checks.

create extension if not exists vector;

create sequence document_ids;
create sequence chunk_ids;
create sequence term_ids as integer;
create sequence entity_ids;

create table banks (
  bank_id integer generated always as identity primary key,
  name text not null unique,
  language text not null,
  settings jsonb not null default '{}',
  created_at timestamptz not null
);

-- A vector space is an embedding model at a dimension; its vectors are in the tables vectors_<space_id> and bits_<space_id>.
create table spaces (
  space_id integer generated always as identity primary key,
  model_id text not null,
  dimension integer not null check (dimension > 0),
  created_at timestamptz not null,
  unique (model_id, dimension)
);

create table bank_spaces (
  bank_id integer not null references banks on delete cascade,
  space_id integer not null references spaces,
  state text not null check (state in ('active', 'shadow')),
  primary key (bank_id, space_id)
);
create unique index bank_spaces_active on bank_spaces (bank_id) where state = 'active';

create table documents (
  bank_id integer not null references banks on delete cascade,
  document_id bigint not null,
  source text not null,
  version integer not null check (version > 0),
  state text not null check (state in ('current', 'superseded', 'deleted')),
  content_hash text not null,
  media_type text not null,
  format text not null,
  code_language text,
  title text,
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  trust smallint not null,
  occurred_at timestamptz,
  retained_at timestamptz not null,
  valid_from timestamptz not null,
  valid_to timestamptz,
  byte_length bigint not null,
  chunk_count integer not null,
  notes text[] not null default '{}',
  primary key (bank_id, document_id),
  unique (bank_id, source, version)
);
create unique index documents_current on documents (bank_id, source text_pattern_ops) where state = 'current';
create index documents_source_prefix on documents (bank_id, source text_pattern_ops);

-- The text lives here, once: joined by ordinal, a document's chunks are its text.
create table chunks (
  bank_id integer not null,
  chunk_id bigint not null,
  document_id bigint not null,
  ordinal integer not null,
  kind text not null,
  label text,
  speaker text,
  occurred_at timestamptz,
  start_byte bigint not null,
  end_byte bigint not null,
  start_line integer not null,
  end_line integer not null,
  tokens integer not null,
  text text not null,
  content text,
  attributes jsonb not null default '{}',
  primary key (bank_id, chunk_id),
  unique (bank_id, document_id, ordinal),
  foreign key (bank_id, document_id) references documents on delete cascade
);

-- Vector kinds: 0 content, 1 window, 2 question, 3 statement, 4 concept. Cues are kinds 2 to 4.
create table cues (
  bank_id integer not null,
  chunk_id bigint not null,
  kind smallint not null,
  ordinal smallint not null,
  origin text not null check (origin in ('caller', 'model', 'rules')),
  embedded boolean not null,
  text text not null,
  primary key (bank_id, chunk_id, kind, ordinal),
  foreign key (bank_id, chunk_id) references chunks on delete cascade
);

-- Lexical fields: 0 body (the chunk's text), 1 cue (all its cue texts as one).
-- Every chunk that is written updates the rows of its terms: room for that on their pages spares the indexes.
create table terms (
  bank_id integer not null,
  field smallint not null,
  term text not null,
  term_id integer not null,
  document_frequency integer not null,
  primary key (bank_id, field, term)
) with (fillfactor = 70);
create unique index terms_by_id on terms (bank_id, term_id);

create table postings (
  bank_id integer not null,
  term_id integer not null,
  chunk_id bigint not null,
  frequency smallint not null,
  length smallint not null,
  primary key (bank_id, term_id, chunk_id) include (frequency, length)
);

-- The forward index: the terms of a chunk, for exact scores of few chunks, for deletion and for checks.
create table chunk_terms (
  bank_id integer not null,
  chunk_id bigint not null,
  field smallint not null,
  length smallint not null,
  term_ids integer[] not null,
  frequencies smallint[] not null,
  primary key (bank_id, chunk_id, field)
);

-- Chunks counted here and in document_frequency are those of current documents: superseded text does not bend the statistics.
create table field_statistics (
  bank_id integer not null,
  field smallint not null,
  chunk_count bigint not null,
  total_length bigint not null,
  primary key (bank_id, field)
);

create table vector_statistics (
  bank_id integer not null,
  space_id integer not null,
  kind smallint not null,
  vector_count bigint not null,
  -- Those that maintenance has put into the bank's HNSW index; the others are read from end to end.
  indexed_count bigint not null default 0,
  primary key (bank_id, space_id, kind)
);

create table entities (
  bank_id integer not null references banks on delete cascade,
  entity_id bigint not null,
  kind text not null,
  name text not null,
  norm text not null,
  -- Mentions, and those of them as speaker, kept in the transaction that writes them: every recall reads all names.
  mention_count integer not null default 0,
  speaker_count integer not null default 0,
  primary key (bank_id, entity_id),
  unique (bank_id, kind, norm)
);

create table entity_aliases (
  bank_id integer not null,
  norm text not null,
  entity_id bigint not null,
  primary key (bank_id, norm, entity_id),
  foreign key (bank_id, entity_id) references entities on delete cascade
);

create table mentions (
  bank_id integer not null,
  entity_id bigint not null,
  chunk_id bigint not null,
  role text not null check (role in ('speaker', 'mentioned')),
  primary key (bank_id, entity_id, chunk_id, role),
  foreign key (bank_id, entity_id) references entities on delete cascade,
  foreign key (bank_id, chunk_id) references chunks on delete cascade
);
create index mentions_by_chunk on mentions (bank_id, chunk_id);

-- Hot state, apart: a use never rewrites a row that carries text, vectors or postings. No row = never used.
create table activity (
  bank_id integer not null,
  chunk_id bigint not null,
  significance real not null default 0.3,
  uses integer not null default 0,
  last_used_at timestamptz,
  pinned boolean not null default false,
  primary key (bank_id, chunk_id),
  foreign key (bank_id, chunk_id) references chunks on delete cascade
);

create table receipts (
  bank_id integer not null references banks on delete cascade,
  receipt_id text not null,
  kind text not null,
  created_at timestamptz not null,
  request jsonb not null,
  degraded text[] not null default '{}',
  took_ms real not null,
  primary key (bank_id, receipt_id)
);
create index receipts_by_time on receipts (bank_id, created_at);

create table receipt_passages (
  bank_id integer not null,
  receipt_id text not null,
  rank smallint not null,
  chunk_id bigint not null,
  score real not null,
  used text check (used in ('used', 'cited', 'helpful', 'unhelpful')),
  used_at timestamptz,
  primary key (bank_id, receipt_id, rank),
  foreign key (bank_id, receipt_id) references receipts on delete cascade,
  foreign key (bank_id, chunk_id) references chunks on delete cascade
);
create index receipt_passages_by_chunk on receipt_passages (bank_id, chunk_id);
