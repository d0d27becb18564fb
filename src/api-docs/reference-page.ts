/**
 * The interface reference as one plain page: no font, no inline script, nothing from elsewhere, so that it works under a
 * strict policy and on a closed network. Its script adds search and requests; without it the page is complete to read.
 * It shows what the OpenAPI document says and nothing besides.
 */
import { type ErrorCode, SEVERITY } from '../kernel/message.ts'
import { shape, shapeLink } from './reference-fields.ts'
import { type Html, html, joinHtml, prose } from './html.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../contract/limits.ts'
import type { OpenApi } from './openapi.ts'
import type { SchemaDocument } from './extension-schemas.ts'
import { STATUS } from '../contract/status.ts'
import { type Placed, article } from './reference-operation.ts'

/** The icon of the reference page: that of the console, which is built apart from the service. */
export const DOCS_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3451d1"/><g fill="#fff"><rect x="7" y="7" width="5" height="7" rx="1.2"/><rect x="13.5" y="7" width="5" height="7" rx="1.2"/><rect x="20" y="7" width="5" height="7" rx="1.2" opacity=".45"/><rect x="7" y="16" width="5" height="7" rx="1.2"/><rect x="13.5" y="16" width="5" height="7" rx="1.2" opacity=".45"/><rect x="20" y="16" width="5" height="7" rx="1.2"/><rect x="7" y="25" width="18" height="2" rx="1"/></g></svg>
`

export { DOCS_CSS } from './reference-style.ts'
export { DOCS_JS } from './reference-script.ts'

/** Shared by all pages. */
export const DOCS_CSS_PATH = '/docs/docs.css'
export const DOCS_ICON_PATH = '/docs/icon.svg'
export const DOCS_JS_PATH = '/docs/docs.js'

const layout = (title: string, intro: Html, navigation: Html, main: Html, script: Html = html``): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="${DOCS_CSS_PATH}" />
        <link rel="icon" type="image/svg+xml" href="${DOCS_ICON_PATH}" />
        ${script}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <h1>${title}</h1>
          ${intro}
        </header>
        <div class="page">
          <nav aria-label="Contents">${navigation}</nav>
          <main id="main">${main}</main>
        </div>
      </body>
    </html> `.text

const slug = (tag: string) => `tag-${tag.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`

const ABOUT = [
  'Authenticate with `Authorization: Bearer` and the operator token, or with the cookie `service_auth` that sign-in sets. Writes with the cookie are only allowed from this site.',
  "Amounts are whole minor units of the deployment's currency (fen of CNY, cents of USD). Times are RFC 3339 with an offset. Every response contains `ucp`. Read `messages` before the data, and branch on `code` only.",
  'Errors have the schema ErrorResponse, whatever the status. All problems of a request are reported at once, each with a JSONPath.',
  'Writes accept an `Idempotency-Key`: the same key with the same body returns the first response again, with the header `Idempotent-Replayed: true`.',
  `Lists are paged by an opaque cursor: ${PAGE_DEFAULT} entries by default, at most ${PAGE_MAX} per page.`,
  'Completing a checkout spends real money, and customers see price changes at once: both need the JSON literal `confirm: true`.',
  'Events arrive live over the WebSocket named by `GET /events`: first `{"type": "event-history", "events": […]}`, then one `{"type": "event", "event": {…}}` per new event.',
]

function codeTable(): Html {
  const isCode = (code: string): code is ErrorCode => code in SEVERITY
  const rows = Object.keys(SEVERITY)
    .filter(isCode)
    .map(
      (code) =>
        html`<tr id="code-${code}">
          <th scope="row"><code>${code}</code></th>
          <td>${STATUS[code]}</td>
          <td>${SEVERITY[code]}</td>
        </tr> `,
    )
  return html`<h2 id="codes">Error codes</h2>
    <p>With its usual status. A code with status 200 is a message on the resource.</p>
    <table>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Status</th>
          <th scope="col">Severity</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`
}

const placedOperations = (document: OpenApi): readonly Placed[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [server] = operation.servers ?? document.servers
      return { method, path, url: server?.url ?? '', operation }
    }),
  )

export function docsPage(document: OpenApi): string {
  const placed = placedOperations(document)
  const groups = document.tags.map((tag) => ({
    ...tag,
    operations: placed.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const title = `${document.info.title} API reference`
  const navigation = html`<div class="search" role="search" hidden>
      <label>Search <input type="search" placeholder="Operation, field or code ( / )" /></label>
      <output></output>
    </div>
    <ul>
      <li><a href="#about">Before you call</a></li>
      ${groups.map(
        (group) =>
          html`<li>
            <a href="#${slug(group.name)}">${group.name}</a>
            <ul>
              ${group.operations.map(
                ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.operationId}</a></li> `,
              )}
            </ul>
          </li> `,
      )}
      <li><a href="#codes">Error codes</a></li>
      <li><a href="#shapes">Schemas</a></li>
    </ul>`
  const main = html`<section aria-labelledby="about">
      <h2 id="about">Before you call</h2>
      ${ABOUT.map((text) => html`<p>${prose(text)}</p> `)}
    </section>
    ${groups.map(
      (group) =>
        html`<section aria-labelledby="${slug(group.name)}">
          <h2 id="${slug(group.name)}">${group.name}</h2>
          <p>${group.description}</p>
          ${group.operations.map((operation) => article(document, operation))}
        </section> `,
    )}
    <section aria-labelledby="codes">${codeTable()}</section>
    <section aria-labelledby="shapes">
      <h2 id="shapes">Schemas</h2>
      ${Object.entries(document.components.schemas).map(([name, schema]) => shape(name, schema))}
    </section>`
  const intro = html`<p>
      ${document.info.summary}, version ${document.info.version}, of vendops ${document.info['x-product-version']}.
      Licence ${'Apache-2.0'}.
    </p>
    <p>
      As OpenAPI: <a href="${document.servers[0]?.url}/openapi.json">openapi.json</a>. Console:
      <a href="/">open</a>
    </p>
    <p class="token" hidden>
      <label
        >Token for “Try it” (not needed while you are signed in to the console)
        <input type="password" autocomplete="off"
      /></label>
    </p>`
  return layout(title, intro, navigation, main, html`<script src="${DOCS_JS_PATH}" defer></script>`)
}

/** The documentation page of one extension capability, linked from the discovery profile. */
export function extensionPage(document: SchemaDocument): string {
  const entries = Object.entries(document.$defs)
  const extended = entries.filter(([name]) => name.startsWith('dev.ucp.'))
  const shapes = entries.filter(([name]) => /^[A-Z]/.test(name))
  const navigation = html`<ul>
    <li><a href="#about">What it adds</a></li>
    ${
      shapes.length > 0 &&
      html`<li>
        <a href="#shapes">Schemas</a>
        <ul>
          ${shapes.map(([name]) => html`<li>${shapeLink(name)}</li> `)}
        </ul>
      </li>`
    }
  </ul>`
  const main = html`<section aria-labelledby="about">
      <h2 id="about">What it adds</h2>
      <p>${document.description}</p>
      ${
        extended.length > 0 &&
        html`<p>
          It extends
          ${joinHtml(
            extended.map(([name]) => html`<code>${name}</code>`),
            ', ',
          )}.
        </p>`
      }
      <p>As <a href="${document.$id}">JSON Schema</a></p>
    </section>
    ${
      shapes.length > 0 &&
      html`<section aria-labelledby="shapes">
        <h2 id="shapes">Schemas</h2>
        ${shapes.map(([name, schema]) => shape(name, schema))}
      </section>`
    }`
  const intro = html`<p><code>${document.name}</code>, version ${document.version}</p>`
  return layout(document.title, intro, navigation, main)
}
