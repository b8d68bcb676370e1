-- A document's text as it was kept (its chunks, joined): SHA-256. Null where it was kept before this was told.

alter table documents add column text_hash bytea;
