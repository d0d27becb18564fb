/** Line icons; decorative, hidden from screen readers. */
const PATHS = {
  today: 'M4 10.5 12 4l8 6.5M6 9.5V20h12V9.5M10 20v-5h4v5',
  approvals: 'M4 13h4l1.5 3h5L16 13h4M4 13 6.5 5h11L20 13v6H4z',
  machines: 'M6 3h12v18H6zM6 15h12M9 6.5h2M9 10.5h2M13.5 6.5h1.5M13.5 10.5h1.5M9 18h6',
  plan: 'M4 19V5M4 19h16M7.5 15l3.5-4 3 2.5L20 7',
  runs: 'M3 7h10v9H3zM13 10h4l3.5 3.5V16H13M7 18.5a1.5 1.5 0 1 0 0-.01M17 18.5a1.5 1.5 0 1 0 0-.01',
  visits:
    'M12 21c4.5-5 6.5-8.2 6.5-11.2a6.5 6.5 0 1 0-13 0C5.5 12.8 7.5 16 12 21zM12 12a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z',
  print: 'M7 9V3h10v6M7 18H4v-9h16v9h-3M7 14h10v7H7z',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  camera: 'M4 8h4l1.5-2.5h5L16 8h4v11H4zM12 10.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  catalog: 'M4 5h7v7H4zM13 5h7v7h-7zM4 14h7v6H4zM13 14h7v6h-7z',
  storeroom: 'M4 8l8-4.5L20 8v8.5L12 21l-8-4.5zM4 8l8 4.5L20 8M12 12.5V21M8 5.8l8 4.5',
  orders: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  activity: 'M12 3a9 9 0 1 0 9 9M12 7v5l3.5 2M16 3h5v5',
  profit: 'M4 20h16M6 16v-4M11 16V8M16 16V5M4 8l5-4 4 3 6-5',
  earn: 'M4 18l6-6 3.5 3.5L20 9M15 8.5h5.5V14M4 21h16',
  cash: 'M3 7h18v11H3zM12 15a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM6 10v.01M18 15v.01',
  forecasts: 'M4 12h3l2.5-6 4 13 3-10 1.5 3h2',
  guardrails: 'M12 3l7.5 3v5.5c0 4.5-3 7.8-7.5 9.5-4.5-1.7-7.5-5-7.5-9.5V6z',
  connections: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  settings: 'M4 7h9M17 7h3M15 4.5v5M4 12h3M11 12h9M9 9.5v5M4 17h11M19 17h1M17 14.5v5',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.3 2.7-5.5 6-5.5s6 2.2 6 5.5M16 4.5a3.5 3.5 0 0 1 0 6.5M17.5 14.8c2.1.7 3.5 2.6 3.5 5.2',
  docs: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  unlock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 6.5-1.8',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  sync: 'M20 5v5h-5M4 19v-5h5M19 10a7.5 7.5 0 0 0-13-2.5M5 14a7.5 7.5 0 0 0 13 2.5',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.2v.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8v.01',
  stop: 'M8 3h8l5 5v8l-5 5H8l-5-5V8zM12 8v5M12 16v.01',
  right: 'M9 5l7 7-7 7',
  up: 'M12 19V6M6 11l6-6 6 6',
  down: 'M12 5v13M6 13l6 6 6-6',
  plus: 'M12 5v14M5 12h14',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  out: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    class="icon"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width={name === 'more' ? 3 : 1.7}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
)
