/**
 * The script of the reference page: search, and requests from the page. The page is complete without it. It writes text
 * only, never HTML, so nothing that a service answers can become markup.
 */
export const DOCS_JS = String.raw`'use strict'
const all = (selector, within = document) => [...within.querySelectorAll(selector)]

// Search: hides what does not hold every word.
const search = document.querySelector('.search')
const input = search.querySelector('input')
const result = search.querySelector('output')
const entries = all('.operation, .shape').map((element) => ({
  element,
  text: element.textContent.toLowerCase(),
  link: document.querySelector('nav a[href="#' + element.id + '"]'),
}))
search.hidden = false
function filter() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const { element, text, link } of entries) {
    const matches = words.every((word) => text.includes(word))
    element.hidden = !matches
    if (link) link.parentElement.hidden = !matches
    if (matches) found += 1
  }
  for (const section of all('main > section')) {
    const own = all('.operation, .shape', section)
    section.hidden = words.length > 0 && own.every((one) => one.hidden)
    const link = document.querySelector('nav a[href="#' + section.querySelector('h2').id + '"]')
    if (link) link.parentElement.hidden = section.hidden
  }
  result.textContent = words.length === 0 ? '' : found === 1 ? '1 match' : found + ' matches'
}
input.addEventListener('input', filter)
document.addEventListener('keydown', (event) => {
  const typing = event.target.matches('input, textarea')
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  input.focus()
})

// Requests from the page, with the cookie of the console or with a token that is kept nowhere.
const token = document.querySelector('.token')
token.hidden = false
async function send(box) {
  const { method, path } = box.dataset
  const query = new URLSearchParams()
  let url = path
  for (const field of all('[data-in]', box)) {
    if (field.dataset.in === 'path') url = url.replace('{' + field.name + '}', encodeURIComponent(field.value))
    if (field.dataset.in === 'query' && field.value !== '') query.set(field.name, field.value)
  }
  const body = box.querySelector('textarea')
  const headers = { accept: 'application/json' }
  for (const field of all('[data-in="header"]', box)) if (field.value !== '') headers[field.name] = field.value
  if (body && body.value.trim() !== '') headers['content-type'] = 'application/json'
  const typed = token.querySelector('input').value.trim()
  if (typed !== '') headers.authorization = 'Bearer ' + typed
  const search = query.toString()
  const response = await fetch(url + (search === '' ? '' : '?' + search), {
    method,
    headers,
    ...(headers['content-type'] ? { body: body.value } : {}),
  })
  const text = await response.text()
  // A request that may not have been carried out keeps its key: sent again, it is carried out once at most.
  if (response.status < 500) all('[data-in="header"]', box).forEach(newKey)
  return response.status + ' ' + response.statusText + '\n\n' + pretty(text)
}
function newKey(field) {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  field.value = 'docs-' + [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
for (const box of all('.try')) {
  const button = box.querySelector('button')
  const sure = box.querySelector('[data-sure]')
  const answer = box.querySelector('pre')
  box.hidden = false
  all('[data-in="header"]', box).forEach(newKey)
  if (sure) {
    button.disabled = true
    sure.addEventListener('change', () => (button.disabled = !sure.checked))
  }
  button.addEventListener('click', async () => {
    button.disabled = true
    answer.hidden = false
    answer.textContent = 'Sending…'
    try {
      answer.textContent = await send(box)
    } catch {
      answer.textContent = 'The service cannot be reached.'
    }
    if (sure) sure.checked = false
    button.disabled = Boolean(sure)
  })
}
`
