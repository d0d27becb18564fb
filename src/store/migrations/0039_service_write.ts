/** Which write booked a service: a request that runs again after its process died must not book it twice. */
export const serviceWrite = (): readonly string[] => [
  'alter table service add column write_id text',
  'create unique index service_write_id on service (write_id)',
]
