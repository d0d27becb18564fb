import { expect, test } from 'vitest'
import { requestDurations } from './request-durations.ts'

test('durations are counted cumulatively per upper bound, with their sum, by labels', () => {
  const durations = requestDurations()
  for (const ms of [0.5, 1, 3, 40_000]) durations.observe('rest', 'getPlan', 'GET', 200, ms)
  durations.observe('mcp', 'getPlan', 'GET', 503, 20)
  const lines = durations.text().split('\n')
  const rest = 'operation="getPlan",method="GET",status="2xx",transport="rest"'
  const name = 'vendops_http_request_duration_seconds'
  expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/^# HELP /), `# TYPE ${name} histogram`])
  expect(lines).toContain(`${name}_bucket{le="0.001",${rest}} 2`)
  expect(lines).toContain(`${name}_bucket{le="0.005",${rest}} 3`)
  expect(lines).toContain(`${name}_bucket{le="30",${rest}} 3`)
  expect(lines).toContain(`${name}_bucket{le="+Inf",${rest}} 4`)
  expect(lines).toContain(`${name}_count{${rest}} 4`)
  expect(lines).toContain(`${name}_sum{${rest}} 40.0045`)
  expect(lines).toContain(`${name}_count{operation="getPlan",method="GET",status="5xx",transport="mcp"} 1`)
})
