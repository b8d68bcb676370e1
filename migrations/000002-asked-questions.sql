-- A question that the caller gave is found by its own words, however many others say them too.

alter table cues add column asked_key bigint;
create index cues_asked on cues (bank_id, asked_key) where asked_key is not null;
