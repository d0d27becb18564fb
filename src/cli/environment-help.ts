/** The environment variables of `vendops serve`, as its help lists them: name, and what it is for with the values it takes. */
import { environmentVariables } from '../config/environment.ts'

export const environmentHelp = (): (readonly [string, string])[] =>
  environmentVariables().map(({ name, help, expected, fallback }) => {
    const values = [expected, fallback === undefined ? undefined : `default ${fallback}`].filter(Boolean).join('; ')
    return [name, values === '' ? help : `${help} (${values})`] as const
  })
