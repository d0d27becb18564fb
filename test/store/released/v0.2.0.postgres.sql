set session_replication_role = replica;
create table migration (
  "name" text not null,
  primary key ("name")
);
create table lease (
  "name" text not null,
  "holder" text not null,
  "fence" bigint not null,
  "held_until" bigint not null,
  "next_at" bigint not null,
  primary key ("name")
);
create table counter (
  "name" text not null,
  "value" bigint not null,
  primary key ("name")
);
create table deployment (
  "name" text not null,
  "value" text not null,
  primary key ("name")
);
create table created (
  "write_id" text not null,
  "id" text not null,
  "created_at" bigint not null,
  primary key ("write_id")
);
create index created_at on created ("created_at");
create table event (
  "seq" bigint generated always as identity primary key,
  "stored_at" bigint not null,
  "occurred_at" bigint not null,
  "kind" text not null,
  "summary" text not null,
  "reasoning" text not null,
  "location" text,
  "source" text not null default 'service',
  "author" text,
  "agent" text,
  "request_id" text,
  "by_name" text,
  "by_role" text,
  "code" text,
  "params" text
);
create index event_kind on event ("kind", "seq");
create index event_location on event ("location", "seq");
create table chain_entry (
  "seq" bigint not null,
  "at" bigint not null,
  "kind" text not null,
  "subject" text not null,
  "by_name" text,
  "by_role" text,
  "facts" text not null,
  "previous" text not null,
  "hash" text not null,
  primary key ("seq")
);
create table chain_head (
  "name" text not null,
  "seq" bigint not null,
  "hash" text not null,
  primary key ("name")
);
create table outbox (
  "seq" bigint generated always as identity primary key,
  "id" text not null,
  "channel" text not null,
  "topic" text not null,
  "kind" text not null,
  "once_key" text,
  "is_first" bigint not null,
  "event_id" text,
  "occurred_at" bigint not null,
  "since" bigint not null,
  "data" text,
  "state" text not null,
  "attempts" bigint not null,
  "due_at" bigint not null,
  "finished_at" bigint,
  "last_status" bigint,
  "last_error" text
);
create unique index outbox_id on outbox ("id");
create unique index outbox_once_key on outbox ("channel", "once_key") where once_key is not null;
create index outbox_topic on outbox ("channel", "topic");
create index outbox_waiting on outbox ("channel", "due_at") where state = 'waiting';
create table outbox_channel (
  "channel" text not null,
  "failures" bigint not null,
  "paused_at" bigint not null,
  "paused_until" bigint not null,
  "not_before" bigint not null,
  primary key ("channel")
);
create table hook_call (
  "channel" text not null,
  "id" text not null,
  "seen_at" bigint not null,
  primary key ("channel", "id")
);
create table watched_effect (
  "kind" text not null,
  "subject" text not null,
  "receiver" text not null,
  "ask_at" bigint not null,
  "interval_ms" bigint not null,
  "times_asked" bigint not null,
  "absent_ms" bigint not null,
  "turn" bigint not null,
  primary key ("kind", "subject")
);
create index watched_effect_turn on watched_effect ("kind", "turn");
create table emergency_stop (
  "name" text not null,
  "stop_id" text not null,
  "engaged_at" bigint not null,
  "engaged_by" text not null,
  "reason" text not null,
  primary key ("name")
);
create table emergency_stop_release (
  "stop_id" text not null,
  "released_at" bigint not null,
  primary key ("stop_id")
);
create table rules_file_stop (
  "name" text not null,
  "engaged" bigint not null,
  "changed_at" bigint not null,
  primary key ("name")
);
create table stored_rules (
  "name" text not null,
  "revision" bigint not null,
  "members" text not null,
  "file_seen" bigint not null,
  primary key ("name")
);
create table rule_change (
  "seq" bigint generated always as identity primary key,
  "member" text not null,
  "before" text,
  "after" text,
  "changed_at" bigint not null,
  "changed_by" text not null
);
create table setting_change (
  "seq" bigint generated always as identity primary key,
  "setting" text not null,
  "before" text,
  "after" text,
  "changed_at" bigint not null,
  "changed_by" text not null
);
create table person (
  "id" text not null,
  "name" text not null,
  "folded_name" text not null,
  "role" text not null,
  "key_hash" text not null,
  "keyed_at" bigint not null,
  "created_at" bigint not null,
  "last_used_at" bigint,
  "expires_at" bigint,
  "revoked_at" bigint,
  "rate_limit_per_minute" bigint,
  "autonomous" bigint,
  "renews_until" bigint,
  primary key ("id")
);
create unique index person_name on person ("folded_name") where revoked_at is null;
create index person_role on person ("role");
create unique index person_key on person ("key_hash");
create table first_owner_link (
  "name" text not null,
  "hash" text not null,
  "expires_at" bigint not null,
  primary key ("name")
);
create table passkey (
  "id" text not null,
  "person" text not null,
  "name" text not null,
  "credential" text not null,
  "public_key" text not null,
  "counter" bigint not null,
  "created_at" bigint not null,
  "last_used_at" bigint,
  primary key ("id")
);
create unique index passkey_credential on passkey ("credential");
create index passkey_person on passkey ("person");
create table passkey_challenge (
  "hash" text not null,
  "purpose" text not null,
  "person" text,
  "expires_at" bigint not null,
  primary key ("hash")
);
create index passkey_challenge_expiry on passkey_challenge ("expires_at");
create table sign_in_link (
  "hash" text not null,
  "person" text not null,
  "key_hash" text not null,
  "expires_at" bigint not null,
  primary key ("hash")
);
create table decision (
  "seq" bigint generated always as identity primary key,
  "at" bigint not null,
  "kind" text not null,
  "summary" text not null,
  "reasoning" text not null,
  "subject_type" text not null,
  "subject_id" text not null,
  "status" text not null,
  "resolved_at" bigint,
  "resolved_by" text,
  "resolved_role" text,
  "evidence" text,
  "comment" text,
  "options" text,
  "about_type" text,
  "about_id" text,
  "expires_at" bigint,
  "option" text,
  "agent" text,
  "request_id" text,
  "by_name" text,
  "by_role" text,
  "code" text,
  "params" text
);
create index decision_status on decision ("status", "seq");
create index decision_subject on decision ("subject_type", "subject_id");
create unique index decision_waiting on decision ("subject_type", "subject_id") where status = 'pending';
create table note (
  "holder" text not null,
  "name" text not null,
  "text" text not null,
  "updated_at" bigint not null,
  primary key ("holder", "name")
);
create table reminder (
  "id" text not null,
  "holder" text not null,
  "by_name" text not null,
  "at" bigint not null,
  "text" text not null,
  "created_at" bigint not null,
  primary key ("id")
);
create index reminder_due on reminder ("at");
create index reminder_holder on reminder ("holder");
create table shift (
  "id" text not null,
  "trigger" text not null,
  "dry_run" bigint not null,
  "status" text not null,
  "started_at" bigint not null,
  "ended_at" bigint,
  "figures" text,
  "by_name" text,
  "by_role" text,
  primary key ("id")
);
create index shift_started on shift ("started_at");
create unique index shift_running on shift ("status") where status = 'running';
create table shift_step (
  "shift" text not null,
  "n" bigint not null,
  "at" bigint not null,
  "step" text not null,
  "code" text not null,
  "params" text not null,
  "reference_type" text,
  "reference_id" text,
  "outcome" text not null,
  "request" text,
  primary key ("shift", "n")
);
create index shift_step_reference on shift_step ("reference_type", "reference_id");
create index shift_step_code on shift_step ("code", "at");
create table shift_transcript (
  "shift" text not null,
  "n" bigint not null,
  "at" bigint not null,
  "kind" text not null,
  "call" text,
  "content" text not null,
  primary key ("shift", "n")
);
create index shift_transcript_at on shift_transcript ("at");
create table operator_state (
  "name" text not null,
  "wake_at" text not null,
  "weekdays" text not null,
  "paused_until" bigint,
  "woken_at" bigint not null,
  "seen_event" bigint not null,
  "event_at" bigint not null,
  "watched" text,
  primary key ("name")
);
create table holiday_answer (
  "day" text not null,
  "answered_at" bigint not null,
  "by_name" text,
  "by_role" text,
  primary key ("day")
);
create table location (
  "id" text not null,
  "name" text not null,
  "namespace" text not null,
  "profile" text not null,
  "venue_name" text,
  "registered_at" bigint not null,
  "updated_at" bigint not null,
  "last_synced_at" bigint,
  "online" bigint,
  "sync_problem" text,
  "awaits_first_sync" bigint not null,
  "platform_time_zone" text,
  "health" text,
  "health_at" bigint,
  "geo" text,
  "area" text,
  "hours" text,
  "calendar" text,
  primary key ("id")
);
create table slot (
  "location" text not null references location (id) on delete cascade,
  "vendor_sku" text not null,
  "slot_id" text not null,
  "sku_id" text not null,
  "title" text not null,
  "barcode" text,
  "price" bigint not null,
  "price_set_at" bigint,
  "stock" bigint,
  "capacity" bigint,
  "capacity_source" text,
  "lanes" text,
  "image_url" text,
  "first_seen_at" bigint not null,
  "updated_at" bigint not null,
  "counted_at" bigint,
  "reported_stock" bigint,
  "reported_at" bigint,
  "booking" text,
  "booked_at" bigint,
  "base_stock" bigint,
  "base_at" bigint,
  "plausible_max" bigint,
  primary key ("location", "vendor_sku")
);
create index slot_by_id on slot ("slot_id");
create index slot_by_sku on slot ("sku_id");
create table slot_lock (
  "location" text not null references location (id) on delete cascade,
  "vendor_sku" text not null,
  "locked_at" bigint not null,
  primary key ("location", "vendor_sku")
);
create table slot_setting (
  "location" text not null references location (id) on delete cascade,
  "vendor_sku" text not null,
  "capacity" bigint,
  "par" bigint,
  "position_row" text,
  "position_column" bigint,
  "pinned" bigint,
  "updated_at" bigint not null,
  primary key ("location", "vendor_sku")
);
create table slot_book (
  "location" text not null references location (id) on delete cascade,
  "vendor_sku" text not null,
  "at" bigint not null,
  "kind" text not null,
  "units" bigint not null,
  primary key ("location", "vendor_sku", "at", "kind")
);
create table stock_log (
  "location" text not null references location (id) on delete cascade,
  "vendor_sku" text not null,
  "at" bigint not null,
  "stock" bigint not null,
  "source" text not null,
  primary key ("location", "vendor_sku", "at")
);
create index stock_log_at on stock_log ("at");
create table service (
  "id" text not null,
  "location" text not null,
  "run" text,
  "at" bigint not null,
  "booked_at" bigint not null,
  "note" text,
  "body" text not null,
  "cash_amount" bigint,
  "cash_bag" text,
  "undone_at" bigint,
  "is_visit" bigint not null,
  "write_id" text,
  "by_name" text,
  "by_role" text,
  primary key ("id")
);
create index service_by_machine on service ("location", "at");
create index service_collected on service ("location", "at", "id") where cash_amount is not null;
create index service_visits on service ("at", "location") where is_visit = 1 and undone_at is null;
create unique index service_write_id on service ("write_id");
create table machine_report (
  "id" text not null,
  "location" text not null references location (id) on delete cascade,
  "service" text,
  "fault" text,
  "at" bigint not null,
  "booked_at" bigint not null,
  "fixed_at" bigint,
  "fixed_by" text,
  "by_name" text,
  "by_role" text,
  "photo" text,
  primary key ("id")
);
create index machine_report_by_machine on machine_report ("location", "at");
create index machine_report_open on machine_report ("at") where fault is not null and fixed_at is null;
create index machine_report_photos on machine_report ("booked_at") where photo is not null;
create table cash_meter (
  "location" text not null references location (id) on delete cascade,
  "known_from" bigint not null,
  "known_until" bigint not null,
  primary key ("location")
);
create table cash_reading (
  "location" text not null references location (id) on delete cascade,
  "at" bigint not null,
  "amount" bigint,
  primary key ("location", "at")
);
create table service_loss (
  "service" text not null,
  "location" text not null,
  "vendor_sku" text not null,
  "sku_id" text not null,
  "at" bigint not null,
  "units" bigint not null,
  "cost_fen" bigint not null,
  "expired_age_days" bigint,
  primary key ("service", "vendor_sku")
);
create index service_loss_by_time on service_loss ("at");
create table unreadable_row (
  "namespace" text not null,
  "source" text not null,
  "id" text not null,
  "problem" text not null,
  "first_seen_at" bigint not null,
  primary key ("namespace", "source", "id")
);
create table sku_alias (
  "a" text not null,
  "b" text not null,
  "a_namespace" text not null,
  "b_namespace" text not null,
  "source" text not null,
  "confirmed_at" bigint,
  "changed_at" bigint not null,
  primary key ("a", "b")
);
create index sku_alias_a_namespace on sku_alias ("a_namespace");
create index sku_alias_b on sku_alias ("b");
create index sku_alias_b_namespace on sku_alias ("b_namespace");
create table machine_product (
  "sku_id" text not null,
  "namespace" text not null,
  "title" text not null,
  "barcode" text,
  "gtin" text,
  "seen_at" bigint not null,
  primary key ("sku_id")
);
create index machine_product_gtin on machine_product ("gtin");
create index machine_product_seen on machine_product ("seen_at");
create table shelf_life (
  "sku_id" text not null,
  "days" bigint not null,
  primary key ("sku_id")
);
create table phase_out (
  "sku_id" text not null,
  "location" text not null,
  "at" bigint not null,
  primary key ("sku_id", "location")
);
create table storeroom_product (
  "sku_id" text not null,
  "title" text not null,
  "units" bigint not null,
  "average_cost_e4" bigint,
  "counted_at" bigint,
  primary key ("sku_id")
);
create table storeroom_lot (
  "sku_id" text not null,
  "best_before" text not null,
  "units" bigint not null,
  primary key ("sku_id", "best_before")
);
create table storeroom_movement (
  "seq" bigint generated always as identity primary key,
  "at" bigint not null,
  "sku_id" text not null,
  "units" bigint not null,
  "kind" text not null,
  "reference_type" text,
  "reference_id" text,
  "lots" text not null,
  "average_before_e4" bigint,
  "cost_fen" bigint,
  "reason" text,
  "note" text,
  "by_name" text,
  "by_role" text
);
create index storeroom_movement_by_product on storeroom_movement ("sku_id", "seq");
create index storeroom_movement_by_reference on storeroom_movement ("reference_type", "reference_id");
create index storeroom_movement_by_time on storeroom_movement ("at", "seq");
create table storeroom_reservation (
  "run" text not null,
  "sku_id" text not null,
  "units" bigint not null,
  primary key ("run", "sku_id")
);
create table sale_transaction (
  "namespace" text not null,
  "order_no" text not null,
  "location" text not null,
  "location_name" text,
  "status" text not null,
  "status_label" text,
  "settled" bigint not null,
  "total_fen" bigint not null,
  "created_at" bigint not null,
  "created_at_raw" text not null,
  "lines" text not null,
  "first_seen_at" bigint not null,
  "changed_at" bigint not null,
  "to_announce" bigint not null,
  primary key ("order_no", "namespace")
);
create index sale_transaction_by_location on sale_transaction ("location", "created_at", "order_no", "namespace");
create index sale_transaction_by_time on sale_transaction ("created_at", "order_no", "namespace");
create index sale_transaction_settled_by_location on sale_transaction ("location", "created_at", "order_no", "namespace") where settled = 1;
create index sale_transaction_settled_by_time on sale_transaction ("created_at", "order_no", "namespace") where settled = 1;
create index sale_transaction_to_announce on sale_transaction ("created_at") where to_announce = 1;
create table sale_line (
  "namespace" text not null,
  "order_no" text not null,
  "line" bigint not null,
  "location" text not null,
  "vendor_sku" text not null,
  "at" bigint not null,
  "day" text not null,
  "price_fen" bigint not null,
  "cost_fen" bigint,
  "unit_cost_e4" bigint not null,
  "cost_estimated" bigint not null,
  primary key ("order_no", "namespace", "line")
);
create index sale_line_by_cost on sale_line ("namespace", "vendor_sku", "at") where cost_fen > 0 and cost_fen <> price_fen;
create index sale_line_by_slot on sale_line ("location", "vendor_sku", "day", "at", "price_fen");
create index sale_line_by_estimate on sale_line ("namespace", "vendor_sku", "location") where cost_estimated = 1;
create table sales_daily (
  "namespace" text not null,
  "location" text not null,
  "vendor_sku" text not null,
  "day" text not null,
  "units" bigint not null,
  "revenue" bigint not null,
  "last_at" bigint not null,
  "cost" bigint not null,
  "known_revenue" bigint not null,
  "commission" bigint not null,
  primary key ("location", "namespace", "vendor_sku", "day")
);
create index sales_daily_by_product on sales_daily ("namespace", "vendor_sku", "day");
create table machine_sales_daily (
  "namespace" text not null,
  "location" text not null,
  "day" text not null,
  "units" bigint not null,
  "revenue" bigint not null,
  "cost" bigint not null,
  "known_revenue" bigint not null,
  "commission" bigint not null,
  primary key ("location", "namespace", "day")
);
create index machine_sales_daily_by_day on machine_sales_daily ("day");
create table product_sales_daily (
  "namespace" text not null,
  "vendor_sku" text not null,
  "day" text not null,
  "units" bigint not null,
  "revenue" bigint not null,
  "cost" bigint not null,
  "known_revenue" bigint not null,
  "commission" bigint not null,
  primary key ("day", "vendor_sku", "namespace")
);
create index product_sales_daily_by_product on product_sales_daily ("namespace", "vendor_sku", "day");
create table refund_line (
  "namespace" text not null,
  "order_no" text not null,
  "line" bigint not null,
  "location" text not null,
  "vendor_sku" text not null,
  "at" bigint not null,
  "day" text not null,
  "price_fen" bigint not null,
  primary key ("order_no", "namespace", "line")
);
create index refund_line_by_day on refund_line ("day", "location", "namespace", "vendor_sku", "price_fen");
create index refund_line_by_machine on refund_line ("location", "day");
create table machine_terms (
  "namespace" text not null,
  "location" text not null,
  "from_day" text not null,
  "commission_e2" bigint,
  "rent_fen" bigint,
  primary key ("namespace", "location", "from_day")
);
create table slot_sales (
  "namespace" text not null,
  "location" text not null,
  "vendor_sku" text not null,
  "block" bigint not null,
  "sold" text not null,
  primary key ("location", "namespace", "vendor_sku", "block")
);
create table slot_levels (
  "location" text not null references location (id) on delete cascade,
  "vendor_sku" text not null,
  "block" bigint not null,
  "levels" text not null,
  primary key ("location", "vendor_sku", "block")
);
create table ledger_mirror (
  "namespace" text not null,
  "covered_from" bigint not null,
  "covered_to" bigint not null,
  "gap_from" bigint,
  "gap_to" bigint,
  "swept_to" bigint,
  "recheck_from" bigint,
  "recheck_to" bigint,
  "deep_read_at" bigint,
  "announce_from" bigint not null,
  "read_at" bigint not null,
  "writes" bigint not null,
  "changes" bigint not null default 0,
  "changed_from" bigint,
  primary key ("namespace")
);
create table ledger_machine (
  "namespace" text not null,
  "location" text not null,
  "time_zone" text,
  "complete_from" bigint,
  "complete_to" bigint,
  primary key ("namespace", "location")
);
create table vendor_memory (
  "namespace" text not null,
  "key" text not null,
  "value" text not null,
  "version" bigint not null,
  primary key ("namespace", "key")
);
create table connection_state (
  "namespace" text not null,
  "read_at" bigint,
  "failed_at" bigint,
  "failure_reason" text,
  "failure" text,
  primary key ("namespace")
);
create table hosted_connection (
  "namespace" text not null,
  "adapter" text not null,
  "settings" text not null,
  "is_read_only" bigint not null,
  "time_zone" text,
  "id_prefix" text,
  "revision" bigint not null,
  "created_at" bigint not null,
  "changed_at" bigint not null,
  "removed_at" bigint,
  "by_name" text,
  "by_role" text,
  primary key ("namespace")
);
create table connection_account (
  "namespace" text not null,
  "adapter" text not null,
  "account" text not null,
  primary key ("namespace")
);
create table connection_file (
  "id" text not null,
  "namespace" text not null,
  "kind" text not null,
  "name" text not null,
  "hash" text not null,
  "size" bigint not null,
  "content" text not null,
  "state" text not null,
  "summary" text not null,
  "received_at" bigint not null,
  "written_at" bigint not null,
  "decided_at" bigint,
  "by_name" text,
  "by_role" text,
  primary key ("id")
);
create index connection_file_newest on connection_file ("namespace", "received_at", "id");
create table fetched_item (
  "namespace" text not null,
  "id" text not null,
  "at" bigint not null,
  "name" text not null,
  "sender" text,
  "problem" text,
  primary key ("namespace", "id")
);
create index fetched_item_problems on fetched_item ("at") where problem is not null;
create table fetch_round (
  "namespace" text not null,
  "at" bigint not null,
  "problem" text,
  "failed_since" bigint,
  primary key ("namespace")
);
create table inbound_message (
  "namespace" text not null,
  "id" text not null,
  "received_at" bigint not null,
  "orders" text not null,
  "body" text,
  "processed_at" bigint,
  primary key ("namespace", "id")
);
create index inbound_message_waiting on inbound_message ("received_at") where processed_at is null;
create table stated_pack (
  "id" text not null,
  "namespace" text not null,
  "pack_text" text not null,
  "vendor_sku" text not null,
  "contains" bigint,
  "stated_at" bigint not null,
  "by_name" text,
  "by_role" text,
  primary key ("id")
);
create table checkout (
  "id" text not null,
  "version" bigint not null,
  "status" text not null,
  "vendor" text not null,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "assessed_at" bigint not null,
  "total_fen" bigint not null,
  "create_request_hash" text not null,
  "order_hash" text not null,
  "decision" text,
  "approved_order_hash" text,
  "approved_total_fen" bigint,
  "attempt_no" bigint not null,
  "outcome_unknown_since" bigint,
  "outcome_unknown_text" text,
  "order_may_exist" bigint not null,
  "closed_as" text,
  "closed_at" bigint,
  "supplier_order_no" text,
  "body" text not null,
  primary key ("id")
);
create index checkout_due on checkout ("expires_at") where status in ('incomplete', 'requires_escalation', 'ready_for_complete');
create index checkout_late on checkout ("closed_at") where status = 'canceled' and order_may_exist = 1;
create index checkout_newest on checkout ("created_at", "id");
create index checkout_status on checkout ("status", "created_at", "id");
create table checkout_attempt (
  "checkout" text not null references checkout (id),
  "attempt_no" bigint not null,
  "claimed_at" bigint not null,
  "intent" text not null,
  "outcome" text,
  "outcome_text" text,
  "denied" text,
  "settled_at" bigint,
  "event" bigint,
  "supplier" text,
  "buyer_key" text,
  "total_fen" bigint,
  "frees_budget" bigint not null,
  "agent" text,
  "request_id" text,
  "by_name" text,
  "by_role" text,
  primary key ("checkout", "attempt_no")
);
create index checkout_attempt_by_claim on checkout_attempt ("claimed_at");
create index checkout_attempt_event on checkout_attempt ("event");
create table purchase (
  "id" text not null,
  "version" bigint not null,
  "vendor" text not null,
  "label" text not null,
  "placed_at" bigint not null,
  "total_fen" bigint not null,
  "body" text not null,
  "state" text not null,
  "raw_status" bigint,
  "description" text,
  "logistics" text,
  "asked_at" bigint,
  "received_at" bigint,
  "invoice_differs_at" bigint,
  primary key ("id")
);
create unique index purchase_label on purchase ("vendor", "label");
create index purchase_newest on purchase ("placed_at", "id");
create index purchase_open on purchase ("asked_at") where state = 'ordered';
create index purchase_invoice_differs on purchase ("invoice_differs_at") where invoice_differs_at is not null;
create table purchase_event (
  "purchase" text not null references purchase (id),
  "n" bigint not null,
  "state" text not null,
  "occurred_at" bigint not null,
  "carrier" text,
  "tracking_number" text,
  "tracking_url" text,
  primary key ("purchase", "n")
);
create table price_change (
  "seq" bigint generated always as identity primary key,
  "created_at" bigint not null,
  "location" text not null,
  "namespace" text not null,
  "request_hash" text not null,
  "lines" text not null,
  "decision" text,
  "status" text not null,
  "attempts" bigint not null,
  "due_at" bigint not null,
  "applied" bigint not null default 0,
  "applied_skus" text,
  "applied_at" bigint,
  "agent" text,
  "request_id" text,
  "by_name" text,
  "by_role" text
);
create index price_change_due on price_change ("due_at") where status in ('approved', 'executing');
create index price_change_open on price_change ("location") where status in ('executing', 'unknown');
create index price_change_request on price_change ("request_hash", "seq");
create table trial (
  "id" text not null,
  "kind" text not null,
  "status" text not null,
  "reason" text,
  "sku_id" text not null,
  "title" text not null,
  "category" text,
  "venue_type" text,
  "slot_id" text,
  "replaced" text,
  "step_fen" bigint,
  "members" text not null,
  "expected_fen" bigint not null,
  "expected_error_fen" bigint not null,
  "measured_fen" bigint,
  "measured_error_fen" bigint,
  "judged_fen" bigint,
  "judged_error_fen" bigint,
  "learned_e4" bigint,
  "learned_error_e4" bigint,
  "created_at" bigint not null,
  "ended_at" bigint,
  "due_at" bigint not null,
  "version" bigint not null,
  "agent" text,
  "request_id" text,
  "by_name" text,
  "by_role" text,
  primary key ("id")
);
create index trial_due on trial ("due_at") where status in ('starting', 'running', 'taking_back');
create unique index trial_open_price on trial ("sku_id") where kind = 'price' and status in ('starting', 'running', 'taking_back');
create unique index trial_open_swap on trial ("slot_id") where kind = 'swap' and status in ('starting', 'running', 'taking_back');
create index trial_created on trial ("created_at", "id");
create table replenishment_run (
  "id" text not null,
  "created_at" bigint not null,
  "status" text not null,
  "placed_at" bigint,
  "delivered_at" bigint,
  "supplier" text,
  "decision" text,
  "strategy_version" text not null,
  "line_count" bigint not null,
  "delivered_units" bigint,
  "note" text,
  "placement_intent" text,
  "body" text not null,
  "by_name" text,
  "by_role" text,
  primary key ("id")
);
create index replenishment_run_newest on replenishment_run ("created_at", "id");
create index replenishment_run_status on replenishment_run ("status", "created_at", "id");
create table run_line (
  "run" text not null references replenishment_run (id),
  "n" bigint not null,
  "location" text not null,
  "vendor_sku" text not null,
  "slot_id" text not null,
  "sku_id" text not null,
  "title" text not null,
  "quantity" bigint not null,
  "cost_fen" bigint not null,
  "cost_estimated" bigint not null,
  "source" text,
  "checkout" text,
  "removed" text,
  "from_storeroom" text,
  "bought" bigint,
  "delivered" bigint,
  "delivered_at" bigint,
  "service" text,
  "booked_at" bigint,
  "stock" bigint,
  "rate_hundredths" bigint,
  "cover_tenths" bigint,
  primary key ("run", "n")
);
create index run_line_by_location on run_line ("location", "checkout") where checkout is not null;
create index run_line_by_machine on run_line ("run", "location");
create index run_line_checkout on run_line ("checkout") where checkout is not null;
create table run_event (
  "run" text not null references replenishment_run (id),
  "n" bigint not null,
  "type" text not null,
  "occurred_at" bigint not null,
  "lines" text,
  "by_name" text,
  "by_role" text,
  primary key ("run", "n")
);
create table forecast (
  "location" text not null references location (id) on delete cascade,
  "vendor_sku" text not null,
  "day" text not null,
  "made_at" bigint not null,
  "daily_rate_e4" bigint not null,
  "naive_rate_e4" bigint not null,
  "measured" bigint not null,
  primary key ("location", "vendor_sku", "day")
);
create index forecast_by_day on forecast ("day");
create table slot_swap (
  "location" text not null references location (id) on delete cascade,
  "vendor_sku" text not null,
  "slot_id" text not null,
  "from_sku" text not null,
  "to_sku" text not null,
  "to_title" text not null,
  "price_fen" bigint,
  "decision" text not null,
  "status" text not null,
  "weekly_gain_fen" bigint not null,
  "at" bigint not null,
  "changed_at" bigint not null,
  primary key ("location", "vendor_sku", "to_sku")
);
create index slot_swap_by_decision on slot_swap ("decision");
create table lane_change (
  "location" text not null references location (id) on delete cascade,
  "lane" text not null,
  "capacity" bigint not null,
  "from_sku" text not null,
  "to_sku" text not null,
  "status" text not null,
  "weekly_gain_fen" bigint not null,
  "changed_at" bigint not null,
  primary key ("location", "lane")
);
create table idempotency (
  "scope" text not null,
  "request_hash" text not null,
  "state" text not null,
  "held_until" bigint not null,
  "holder" text not null,
  "status" bigint,
  "headers" text,
  "body" text,
  "created_at" bigint not null,
  primary key ("scope")
);
create index idempotency_created on idempotency ("created_at");
create table console_session (
  "hash" text not null,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "key_hash" text,
  "passkey" text,
  primary key ("hash")
);
create index console_session_expiry on console_session ("expires_at");
create table oauth_client (
  "id" text not null,
  "name" text not null,
  "redirect_uris" text not null,
  "created_at" bigint not null,
  primary key ("id")
);
create table oauth_code (
  "hash" text not null,
  "client_id" text not null,
  "redirect_uri" text not null,
  "challenge" text not null,
  "role" text not null,
  "autonomous" bigint not null,
  "granted_by" text not null,
  "expires_at" bigint not null,
  "used_at" bigint,
  "person" text,
  primary key ("hash")
);
create table oauth_grant (
  "id" text not null,
  "person" text not null,
  "client_id" text not null,
  "refresh_hash" text not null,
  "expires_at" bigint not null,
  primary key ("id")
);
create index oauth_grant_person on oauth_grant ("person");
create index oauth_grant_client on oauth_grant ("client_id");
create index oauth_grant_expiry on oauth_grant ("expires_at");
insert into lease ("name", "holder", "fence", "held_until", "next_at") overriding system value values
('prices M1001', 'df5b6455-eb7c-4072-90a9-fb5d253a2a9f', 1, 0, 0);
insert into counter ("name", "value") overriding system value values
('decisions opened', 1),
('stored_rules', 1);
insert into migration ("name") overriding system value values
('0001_schema_98292f84');
insert into deployment ("name", "value") overriding system value values
('id', '385099eb-2251-42eb-ba35-e0e7a66a73a0');
insert into event ("seq", "stored_at", "occurred_at", "kind", "summary", "reasoning", "location", "source", "author", "agent", "request_id", "by_name", "by_role", "code", "params") overriding system value values
(1, 1788998400000, 1788998400000, 'checkout', 'po_20260910_1 completed: order AS000001', 'The supplier accepted the order. ¥6.20 is within the ¥500.00 limit per purchase.', null, 'service', null, null, '20cad269-d5e9-4bee-bd9c-6a61f85d334a', 'operator', 'operator', 'purchase_completed', '{"checkout":"po_20260910_1","order":"AS000001"}'),
(2, 1788998400000, 1788998400000, 'price_change', 'Hall (M1001): price changed: 可乐, ¥2.50 → ¥2.60 (+4%)', 'Within the rules.', 'M1001', 'service', null, null, '873970fe-10b3-435c-a8a4-1d4944e61035', 'operator', 'operator', 'price_changed', '{"location":"M1001","machine":"Hall","lines":1,"product":"可乐","previous":{"amount":250,"currency":"CNY"},"price":{"amount":260,"currency":"CNY"}}');
select setval(pg_get_serial_sequence('event', 'seq'), (select max("seq") from event));
insert into chain_entry ("seq", "at", "kind", "subject", "by_name", "by_role", "facts", "previous", "hash") overriding system value values
(1, 1788998400000, 'rules', 'rules', 'rules file', 'host', '{"file_seen":1,"members":"{\"spendingLimitPerRun\":{\"value\":50000,\"setBy\":\"file\"},\"priceCapPerItem\":{\"value\":100,\"setBy\":\"file\"},\"hardNoGos\":{\"value\":[\"烟草\",\"acme-supply:SP9009\"],\"setBy\":\"file\"},\"administrators\":{\"value\":[\"ou_owner\"],\"setBy\":\"file\"},\"administratorChats\":{\"value\":[\"oc_ops\"],\"setBy\":\"file\"}}","revision":0}', '0000000000000000000000000000000000000000000000000000000000000000', '883fbaa1d3757fe8faebb00458acdf2736e8ff25917db86d28e7cc2c54347cf9'),
(2, 1788998400000, 'attempt', 'po_20260910_1#1', 'operator', 'operator', '{"agent":null,"buyer_key":"operator","by_name":"operator","by_role":"operator","claimed_at":1788998400000,"denied":null,"frees_budget":0,"intent_sha256":"e6688e3033bea541731ee08bca8dc51c1ecac98d731d3f34845052a93cfb0fe3","outcome":null,"outcome_text":null,"settled_at":null,"supplier":"acme-supply","total_fen":620}', '883fbaa1d3757fe8faebb00458acdf2736e8ff25917db86d28e7cc2c54347cf9', 'd00ba7e74dcb1c80c042a21d25353685e896191f6ffa015b913f84f7311e1318'),
(3, 1788998400000, 'attempt', 'po_20260910_1#1', 'operator', 'operator', '{"agent":null,"buyer_key":"operator","by_name":"operator","by_role":"operator","claimed_at":1788998400000,"denied":null,"frees_budget":0,"intent_sha256":"e6688e3033bea541731ee08bca8dc51c1ecac98d731d3f34845052a93cfb0fe3","outcome":"accepted","outcome_text":"The supplier accepted the order. ¥6.20 is within the ¥500.00 limit per purchase.","settled_at":1788998400000,"supplier":"acme-supply","total_fen":620}', 'd00ba7e74dcb1c80c042a21d25353685e896191f6ffa015b913f84f7311e1318', '48f9427a1d511a77d3c820e88df033e74beec97728bda55c1f5649e88ad47bea'),
(4, 1788998400000, 'price_change', 'price-change-1', 'operator', 'operator', '{"by_name":"operator","by_role":"operator","created_at":1788998400000,"decision":null,"lines":"[{\"skuId\":\"acme-machine:G-0001\",\"priceFen\":260,\"title\":\"可乐\",\"previousFen\":250}]","location":"M1001","namespace":"acme-machine","status":"executing"}', '48f9427a1d511a77d3c820e88df033e74beec97728bda55c1f5649e88ad47bea', 'c247c1568013f23fdcc15aa9fb7af9a9762a8c1f4b0dc495781219942140928e'),
(5, 1788998400000, 'price_change', 'price-change-1', 'operator', 'operator', '{"by_name":"operator","by_role":"operator","created_at":1788998400000,"decision":null,"lines":"[{\"skuId\":\"acme-machine:G-0001\",\"priceFen\":260,\"title\":\"可乐\",\"previousFen\":250}]","location":"M1001","namespace":"acme-machine","status":"done"}', 'c247c1568013f23fdcc15aa9fb7af9a9762a8c1f4b0dc495781219942140928e', '52b3cf1941006e4161ccf13673f8e4df0f579ce2aa9aa88a7ae94763c33ee10a'),
(6, 1788998400000, 'decision', 'dec-1788998400000-1', 'operator', 'operator', '{"agent":null,"at":1788998400000,"by_name":"operator","by_role":"operator","code":"spending_limit","comment":null,"evidence":"[{\"rule\":\"spendingLimitPerRun\",\"code\":\"spending_limit\",\"params\":{\"total\":{\"amount\":57600,\"currency\":\"CNY\"},\"limit\":{\"amount\":50000,\"currency\":\"CNY\"}},\"text\":\"¥576.00 exceeds the ¥500.00 limit per purchase\"}]","kind":"restock_plan","params":"{\"total\":{\"amount\":57600,\"currency\":\"CNY\"},\"limit\":{\"amount\":50000,\"currency\":\"CNY\"},\"vendor\":\"acme-supply\",\"lines\":1,\"destination\":\"伟 王, 13800000000, 上海市 世纪大道 100 号\"}","reasoning":"¥576.00 exceeds the ¥500.00 limit per purchase, so it needs approval. Delivered to 伟 王, 13800000000, 上海市 世纪大道 100 号. 20 boxes of 农夫山泉 饮用天然水 550ml","resolved_at":null,"resolved_by":null,"resolved_role":null,"status":"pending","subject_id":"po_20260910_2","subject_type":"checkout","summary":"Buy from acme-supply for ¥576.00: po_20260910_2, 1 line"}', '52b3cf1941006e4161ccf13673f8e4df0f579ce2aa9aa88a7ae94763c33ee10a', 'c35954148315ae3332246bd8de95159e6fcebacd2013d9ff61ff098910c95eb3');
insert into chain_head ("name", "seq", "hash") overriding system value values
('head', 6, 'c35954148315ae3332246bd8de95159e6fcebacd2013d9ff61ff098910c95eb3');
insert into stored_rules ("name", "revision", "members", "file_seen") overriding system value values
('rules', 0, '{"spendingLimitPerRun":{"value":50000,"setBy":"file"},"priceCapPerItem":{"value":100,"setBy":"file"},"hardNoGos":{"value":["烟草","acme-supply:SP9009"],"setBy":"file"},"administrators":{"value":["ou_owner"],"setBy":"file"},"administratorChats":{"value":["oc_ops"],"setBy":"file"}}', 1);
insert into decision ("seq", "at", "kind", "summary", "reasoning", "subject_type", "subject_id", "status", "resolved_at", "resolved_by", "resolved_role", "evidence", "comment", "options", "about_type", "about_id", "expires_at", "option", "agent", "request_id", "by_name", "by_role", "code", "params") overriding system value values
(1, 1788998400000, 'restock_plan', 'Buy from acme-supply for ¥576.00: po_20260910_2, 1 line', '¥576.00 exceeds the ¥500.00 limit per purchase, so it needs approval. Delivered to 伟 王, 13800000000, 上海市 世纪大道 100 号. 20 boxes of 农夫山泉 饮用天然水 550ml', 'checkout', 'po_20260910_2', 'pending', null, null, null, '[{"rule":"spendingLimitPerRun","code":"spending_limit","params":{"total":{"amount":57600,"currency":"CNY"},"limit":{"amount":50000,"currency":"CNY"}},"text":"¥576.00 exceeds the ¥500.00 limit per purchase"}]', null, null, null, null, null, null, null, '66c6706e-f3af-498a-8b12-d5c515c3c84d', 'operator', 'operator', 'spending_limit', '{"total":{"amount":57600,"currency":"CNY"},"limit":{"amount":50000,"currency":"CNY"},"vendor":"acme-supply","lines":1,"destination":"伟 王, 13800000000, 上海市 世纪大道 100 号"}');
select setval(pg_get_serial_sequence('decision', 'seq'), (select max("seq") from decision));
insert into location ("id", "name", "namespace", "profile", "venue_name", "registered_at", "updated_at", "last_synced_at", "online", "sync_problem", "awaits_first_sync", "platform_time_zone", "health", "health_at", "geo", "area", "hours", "calendar") overriding system value values
('M1001', 'Hall', 'acme-machine', '{}', null, 1788998400000, 1788998400000, null, null, null, 0, null, null, null, null, null, null, null);
insert into connection_state ("namespace", "read_at", "failed_at", "failure_reason", "failure") overriding system value values
('acme-machine', 1788998400000, null, null, null),
('acme-supply', 1788998400000, null, null, null);
insert into checkout ("id", "version", "status", "vendor", "created_at", "expires_at", "assessed_at", "total_fen", "create_request_hash", "order_hash", "decision", "approved_order_hash", "approved_total_fen", "attempt_no", "outcome_unknown_since", "outcome_unknown_text", "order_may_exist", "closed_as", "closed_at", "supplier_order_no", "body") overriding system value values
('po_20260910_1', 3, 'completed', 'acme-supply', 1788998400000, 1789084800000, 1788998400000, 620, '70dba1400139182b82c068f327fe0daab5b949433646b47adfd6a9eec210ffb0', '214f239a096dd3723bd4578271ecbf97a71ff4af55b60be13ba00c9e184b44af', null, null, null, 1, null, null, 1, null, null, 'AS000001', '{"lines":[{"id":"li_1","skuId":"acme-supply:SP2002","title":"乐事 薯片","unit":"EA","quantity":2,"priceFen":310,"priceDerived":false}],"methods":[{"id":"method_1","type":"shipping","lineItemIds":"all","destinations":[{"id":"dest_1","type":"shipping_address","address":{"street_address":"世纪大道 100 号","address_locality":"上海市","first_name":"伟","last_name":"王","phone_number":"13800000000"}}],"selectedDestinationId":"dest_1","groupId":"group_1","selectedOptionId":"standard"}],"unavailableLines":[],"findings":[]}'),
('po_20260910_2', 1, 'requires_escalation', 'acme-supply', 1788998400000, 1789084800000, 1788998400000, 57600, '2b7e0d84b4e0097bd7c7ff8a0badf481211ef6b95621a21b093d7296652b33c8', '1e08ae33d180f7ddfe12b27135fb376b22ad9453061228321a7845cc3cb37546', 'dec-1788998400000-1', null, null, 0, null, null, 0, null, null, null, '{"lines":[{"id":"li_1","skuId":"acme-supply:SP1001","title":"农夫山泉 饮用天然水 550ml","unit":"BX","contains":24,"quantity":20,"priceFen":2880,"priceDerived":false}],"methods":[{"id":"method_1","type":"shipping","lineItemIds":"all","destinations":[{"id":"dest_1","type":"shipping_address","address":{"street_address":"世纪大道 100 号","address_locality":"上海市","first_name":"伟","last_name":"王","phone_number":"13800000000"}}],"selectedDestinationId":"dest_1","groupId":"group_1","selectedOptionId":"standard"}],"unavailableLines":[],"findings":[],"approvalNeed":{"text":"¥576.00 exceeds the ¥500.00 limit per purchase","params":{"rule":"spendingLimitPerRun","total":{"amount":57600,"currency":"CNY"},"limit":{"amount":50000,"currency":"CNY"},"amount":{"amount":57600,"currency":"CNY"}}}}');
insert into checkout_attempt ("checkout", "attempt_no", "claimed_at", "intent", "outcome", "outcome_text", "denied", "settled_at", "event", "supplier", "buyer_key", "total_fen", "frees_budget", "agent", "request_id", "by_name", "by_role") overriding system value values
('po_20260910_1', 1, 1788998400000, '{"order":{"lines":[{"vendorSku":"SP2002","quantity":2,"unit":"each"}],"fulfillment":{"method":"shipping","contactName":"伟 王","contactPhone":"13800000000","address":"上海市 世纪大道 100 号"}},"lines":[{"id":"li_1","skuId":"acme-supply:SP2002","title":"乐事 薯片","unit":"EA","quantity":2,"priceFen":310,"priceDerived":false}],"methods":[{"id":"method_1","type":"shipping","lineItemIds":"all","destinations":[{"id":"dest_1","type":"shipping_address","address":{"street_address":"世纪大道 100 号","address_locality":"上海市","first_name":"伟","last_name":"王","phone_number":"13800000000"}}],"selectedDestinationId":"dest_1","groupId":"group_1","selectedOptionId":"standard"}],"totalFen":620,"orderHash":"214f239a096dd3723bd4578271ecbf97a71ff4af55b60be13ba00c9e184b44af","authority":{"withinRules":true,"evidence":"¥6.20 is within the ¥500.00 limit per purchase."}}', 'accepted', 'The supplier accepted the order. ¥6.20 is within the ¥500.00 limit per purchase.', null, 1788998400000, 1, 'acme-supply', 'operator', 620, 0, null, '20cad269-d5e9-4bee-bd9c-6a61f85d334a', 'operator', 'operator');
insert into purchase ("id", "version", "vendor", "label", "placed_at", "total_fen", "body", "state", "raw_status", "description", "logistics", "asked_at", "received_at", "invoice_differs_at") overriding system value values
('po_20260910_1', 1, 'acme-supply', 'AS000001', 1788998400000, 620, '{"lines":[{"id":"li_1","item":{"id":"acme-supply:SP2002","title":"乐事 薯片","price":310,"quantity_unit":{"unit":"EA","display_text":"each","increment":1}},"quantity":2}],"delivery":{"type":"shipping","destination":{"street_address":"世纪大道 100 号","address_locality":"上海市","first_name":"伟","last_name":"王","phone_number":"13800000000"},"description":"Delivery by the supplier"}}', 'ordered', null, null, null, null, null, null);
insert into purchase_event ("purchase", "n", "state", "occurred_at", "carrier", "tracking_number", "tracking_url") overriding system value values
('po_20260910_1', 1, 'ordered', 1788998400000, null, null, null);
insert into price_change ("seq", "created_at", "location", "namespace", "request_hash", "lines", "decision", "status", "attempts", "due_at", "applied", "applied_skus", "applied_at", "agent", "request_id", "by_name", "by_role") overriding system value values
(1, 1788998400000, 'M1001', 'acme-machine', '98ea2e87fccdd8c8f0533cbe1074b7ba6b3a49644b154e0becee1d93d0158d16', '[{"skuId":"acme-machine:G-0001","priceFen":260,"title":"可乐","previousFen":250}]', null, 'done', 1, 1788998520000, 1, '["acme-machine:G-0001"]', 1788998400000, null, '873970fe-10b3-435c-a8a4-1d4944e61035', 'operator', 'operator');
select setval(pg_get_serial_sequence('price_change', 'seq'), (select max("seq") from price_change));
