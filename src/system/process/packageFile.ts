/**
 * Files of this package by their paths in it: in the sources, where this file is three folders deep, and in `dist`, a flat
 * folder of bundles, where it is in one of them. An application that bundles Reins has none of them.
 */
import { existsSync } from "node:fs"
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

/**
 * A module that is started as a process of its own, an entry of the bundle (`tools/build/rolldown.config.ts`). Undefined in an
 * application's own bundle.
 *
 * @param path Its path in the sources, such as `system/settings/restoreProgram`.
 */
export const ownProgram = (path: string): string | undefined => {
  if (here === undefined) return undefined
  const file = packageFile(isSource ? `src/${path}.ts` : `dist/${basename(path)}.js`)
  return existsSync(file) ? file : undefined
}
