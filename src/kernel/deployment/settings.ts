/** What an owner sets for the whole deployment while the service runs; the environment wins where it says something. */
export const SETTING_NAMES = [
  'buyer_name',
  'delivery_address',
  'currency',
  'time_zone',
  'language',
  'trip_cost',
  'stop_cost',
] as const
export type SettingName = (typeof SETTING_NAMES)[number]

export const LANGUAGES = ['en', 'zh'] as const
export type Language = (typeof LANGUAGES)[number]
