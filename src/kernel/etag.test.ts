import { expect, test } from 'vitest'
import { etagOf, isKnown } from './etag.ts'

test('a tag is known as it is, weakened, in a list, or by the star', () => {
  const tag = etagOf('text')
  for (const header of [tag, `W/${tag}`, `"other", ${tag}`, `"other",W/${tag}`, '*'])
    expect([header, isKnown(header, tag)]).toEqual([header, true])
  for (const header of [undefined, '', '"other"', tag.slice(1, -1), etagOf('another text')])
    expect([header, isKnown(header, tag)]).toEqual([header, false])
})
