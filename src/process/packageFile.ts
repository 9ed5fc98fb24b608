/**
 * Files of this package by their paths in it: in the sources, where this file is two folders deep, and in `dist`, a flat
 * folder of bundles, where it is in one of them.
 */
import { basename } from "node:path"
import { fileURLToPath } from "node:url"

const isSource = import.meta.url.endsWith(".ts")
const root = new URL(isSource ? "../.." : "..", import.meta.url)

/** @param path Such as `package.json`. */
export const packageFile = (path: string): string => fileURLToPath(new URL(path, root))

/**
 * A module that is started as a process of its own, an entry of the bundle (`rolldown.config.ts`).
 *
 * @param path Its path in the sources, such as `settings/restoreProgram`.
 */
export const ownProgram = (path: string): string =>
  packageFile(isSource ? `src/${path}.ts` : `dist/${basename(path)}.js`)
