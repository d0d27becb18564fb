/**
 * Letters that look like a Latin letter, with that letter. Upper and lower case are listed apart where they look like
 * different letters (Greek Η is H, η is n). Accents need no row: they are taken off before.
 */
const ROWS: Readonly<Record<string, string>> = {
  a: 'АаΑαᴀɑⱥӑ',
  b: 'ВвΒβЬьʙƀɓЪъ',
  c: 'Ссᴄƈȼↄ',
  d: 'ԀԁᴅđɗɖÐð',
  e: 'ЕеΕεЄєᴇɛɇЭэ',
  f: 'ҒғꜰƒϜϝ',
  g: 'ɡɢǥɠԌԍ',
  h: 'НнΗҺһʜħɦЋћ',
  i: 'ІіΙιӀӏıɪɩΪϊ',
  j: 'ЈјͿϳᴊɉʝ',
  k: 'КкΚκᴋƙҚқҜҝ',
  l: 'ʟłɭƚⅼ',
  m: 'МмΜᴍɱ',
  n: 'ΝηПпɴɲƞŋИи',
  o: 'ОоΟοσςᴏøɵӨөՕօ',
  p: 'РрΡρᴘƥÞþϷϸ',
  q: 'ԚԛɋϘϙ',
  r: 'Ггʀɍɽᴦ',
  s: 'Ѕѕꜱʂƨ',
  t: 'ТтΤτᴛŧƭʈ',
  u: 'υμᴜʉՍսЦц',
  v: 'νѴѵᴠʋ',
  w: 'ѠѡωԜԝᴡɯШшЩщ',
  x: 'ХхΧχҲҳ',
  y: 'УуΥγҮүʏɏƴ',
  z: 'Ζζᴢƶʐ',
  ae: 'Ææ',
  oe: 'Œœɶ',
  ss: 'ßẞ',
}

/** Letters A to Z in a box or a disc, and the regional indicators that flags are made of. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6]

export const LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ROWS).flatMap(([latin, letters]) => Array.from(letters, (letter) => [letter, latin] as const)),
  ...ALPHABETS.flatMap((first) =>
    Array.from({ length: 26 }, (_, i) => [String.fromCodePoint(first + i), String.fromCharCode(0x61 + i)] as const),
  ),
])
