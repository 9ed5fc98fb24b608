/** Files of this package, in the sources or in `dist`, a flat folder of bundles; not in an application's own bundle. */
import { existsSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"

/** Undefined in what other bundlers make of it in CommonJS. */
const here: string | undefined = import.meta.url
const isSource = here?.endsWith(".ts") === true

/** @param path Such as `package.json`. */
export const packageFile = (path: string): string => {
  if (here === undefined) throw new Error(`no ${path} in a bundle: leave reins out of it`)
  return fileURLToPath(new URL((isSource ? "../../../" : "../") + path, here))
}

/** The arguments that start a module, before its path: Deno gives a program no permission by default. */
export const moduleRunner: ReadonlyArray<string> =
  "deno" in process.versions ? [process.execPath, "run", "--allow-all"] : [process.execPath]

/** The module `path` of the sources as a program: an entry of `rolldown.config.ts`. Undefined in other bundles. */
export const ownProgram = (path: string): string | undefined => {
  if (here === undefined) return undefined
  const file = packageFile(isSource ? `src/${path}.ts` : `dist/${basename(path)}.js`)
  return existsSync(file) ? file : undefined
}

export const packageVersion = (): string => JSON.parse(readFileSync(packageFile("package.json"), "utf8")).version
