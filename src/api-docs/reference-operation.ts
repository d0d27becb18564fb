/** One operation on the reference page: its inputs, responses, an example call and a form to try it. */
import { fieldList, members, typePhrase } from './reference-fields.ts'
import { type Html, html, joinHtml, prose } from './html.ts'
import {
  type DescribedOperation,
  type OpenApi,
  type Parameter,
  type Reference,
  type Response,
  contentOf,
} from './openapi.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'

const ERROR_RESPONSE = '#/components/schemas/ErrorResponse'

export interface Placed {
  readonly method: string
  readonly path: string
  readonly url: string
  readonly operation: DescribedOperation
}

const isReference = (value: object): value is Reference => '$ref' in value

function responseOf(document: OpenApi, value: Response | Reference): Response | undefined {
  if (!isReference(value)) return value
  return document.components.responses[value.$ref.slice(value.$ref.lastIndexOf('/') + 1)]
}

const parameters = (operation: DescribedOperation, where: Parameter['in']): readonly Parameter[] =>
  operation.parameters.flatMap((parameter) => ('in' in parameter && parameter.in === where ? [parameter] : []))

const encodeForPath = (value: unknown) => encodeURIComponent(String(value)).replaceAll('%3A', ':')

/** A command to copy. A quote in the body is closed, escaped and reopened for the shell. */
function curl({ method, path, url, operation }: Placed): string {
  const asked = parameters(operation, 'query').filter((parameter) => parameter.example !== undefined)
  const query = new URLSearchParams(asked.map(({ name, example }) => [name, String(example)])).toString()
  const filled = parameters(operation, 'path').reduce(
    (text, { name, example }) => text.replace(`{${name}}`, encodeForPath(example)),
    path,
  )
  const body = operation.requestBody && contentOf(operation.requestBody).example
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${url}${filled}${query && `?${query}`}'`,
    ...(operation.security ? [] : [`-H "Authorization: Bearer $OPERATOR_TOKEN"`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`]),
  ].join(' \\\n  ')
}

function inputs({ operation }: Placed): Html {
  const [path, query] = [parameters(operation, 'path'), parameters(operation, 'query')]
  return html`${
    path.length > 0 &&
    html`<h4>In the path</h4>
      ${fieldList(path)}`
  }${
    query.length > 0 &&
    html`<h4>In the query</h4>
      ${fieldList(query)}`
  }`
}

function bodyOf(document: OpenApi, operation: DescribedOperation): Html {
  if (!operation.requestBody) return html``
  const { schema } = contentOf(operation.requestBody)
  const name = schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1) ?? ''
  const body: JsonSchema = document.components.schemas[name] ?? schema
  return html`<h4>Body${!operation.requestBody.required && ' (optional)'}</h4>
    <p>${typePhrase(schema)}</p>
    ${members(body)}`
}

const codeList = (codes: readonly string[]) =>
  joinHtml(
    codes.map((code) => html`<a href="#code-${code}"><code>${code}</code></a>`),
    ', ',
  )

function responses(document: OpenApi, operation: DescribedOperation): Html {
  const rows = Object.entries(operation.responses).flatMap(([status, value]) => {
    const response = responseOf(document, value)
    return response ? [{ status, codes: response['x-codes'], schema: response.content['application/json'].schema }] : []
  })
  const errors = rows.filter(({ schema }) => schema.$ref === ERROR_RESPONSE)
  const successes = rows.filter((row) => !errors.includes(row))
  return html`<h4>Response</h4>
    ${successes.map(
      ({ status, schema, codes }) =>
        html`<p>
          <strong>${status}</strong>
          ${typePhrase(schema)}${codes.length > 0 && html`; possible message codes: ${codeList(codes)}`}
        </p>`,
    )}
    <h4>Errors</h4>
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Codes</th>
        </tr>
      </thead>
      <tbody>
        ${errors.map(
          ({ status, codes }) =>
            html`<tr>
              <th scope="row">${status}</th>
              <td>${codeList(codes)}</td>
            </tr> `,
        )}
      </tbody>
    </table>`
}

const isWrite = (operationId: string): boolean =>
  Object.entries<Operation>(OPERATIONS).some(([id, { write }]) => id === operationId && write !== undefined)

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname.replace(/\/$/, '') : url)

/** The form of one operation, filled with its example; the script of the page shows and sends it. */
function tryIt({ method, path, url, operation }: Placed): Html {
  const fields = (['path', 'query'] as const).flatMap((where) =>
    parameters(operation, where).map(
      ({ name, example }) =>
        html`<label
          >${name}
          <input
            data-in="${where}"
            name="${name}"
            value="${where === 'path' && typeof example === 'string' ? example : ''}"
        /></label> `,
    ),
  )
  const body = operation.requestBody && contentOf(operation.requestBody).example
  return html`<details class="try" hidden data-method="${method.toUpperCase()}" data-path="${pathOf(url)}${path}">
    <summary>Try it</summary>
    ${fields}
    ${
      operation.requestBody &&
      html`<label
        >Body
        <textarea rows="8" spellcheck="false">${body === undefined ? '' : JSON.stringify(body, null, 2)}</textarea>
      </label>`
    }
    ${
      isWrite(operation.operationId) &&
      html`<label>Idempotency-Key <input data-in="header" name="Idempotency-Key" /></label>
        <label class="sure"
          ><input type="checkbox" data-sure /> This is a real request to this service: it writes, and may spend money or
          change prices</label
        >`
    }
    <button type="button">Send</button>
    <pre hidden tabindex="0" role="region" aria-live="polite" aria-label="Response of ${operation.operationId}"></pre>
  </details>`
}

export const article = (document: OpenApi, placed: Placed): Html =>
  html`<article class="operation" id="${placed.operation.operationId}">
    <h3>
      <span class="method ${placed.method}">${placed.method.toUpperCase()}</span>
      <a href="#${placed.operation.operationId}">${placed.path}</a>
      <span class="id">${placed.operation.operationId}</span>
    </h3>
    <p>${prose(placed.operation.summary)}</p>
    <p class="none">${prose(placed.operation.description)}${placed.operation.security && ' No token needed.'}</p>
    ${inputs(placed)} ${bodyOf(document, placed.operation)} ${responses(document, placed.operation)}
    <h4>Example</h4>
    <pre tabindex="0" role="region" aria-label="Example of ${placed.operation.operationId}">${curl(placed)}</pre>
    ${tryIt(placed)}
  </article> `
