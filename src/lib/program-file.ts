/** A program that runs as a thread or a process of its own: beside its caller among the sources, beside the bundle in the build. */
export const programFile = (name: string, caller: string): URL =>
  new URL(`./${name}${caller.endsWith('.ts') ? '.ts' : '.js'}`, caller)
