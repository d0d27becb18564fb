/**
 * What the service uses of node:http. An `import` reads every export of that module, and one of them loads Node's second HTTP
 * client (undici), which nobody here uses: 16 MB.
 */
export const { Agent, METHODS, createServer, request } = process.getBuiltinModule('node:http')
