/** The baseline: a bare Fastify that returns the same JSON on the same routes. */
import Fastify from 'fastify'
import { type BareRoute, attend } from '../harness.ts'

const routes = JSON.parse(process.argv[2] ?? '[]') as readonly BareRoute[]
const server = Fastify({ logger: false })
for (const { method, path, answer, status } of routes)
  server.route({
    method,
    url: path,
    handler: (_request, reply) =>
      reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(answer)),
  })
attend(await server.listen({ host: '127.0.0.1', port: 0 }), {}, () => server.close())
