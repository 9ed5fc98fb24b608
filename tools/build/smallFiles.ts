/**
 * Small files: those that are almost only libraries have short names of variables and no spaces; names of functions and classes are
 * kept for stacks. Ours are left to be read. All are ASCII: V8 keeps the whole of a file that has one other character as two
 * bytes for each, 1.2 MB of memory more.
 */
import type { OutputChunk, Plugin } from "rolldown"
import { minifySync } from "rolldown/utils"

/** Share of the length of a chunk. */
const mostOfLibraries = 0.95

const isLibrary = ({ modules }: OutputChunk): boolean => {
  const all = Object.entries(modules).map(([id, { renderedLength }]) => ({ id, renderedLength }))
  const lengthOf = (some: typeof all) => some.reduce((sum, { renderedLength }) => sum + renderedLength, 0)
  return lengthOf(all.filter(({ id }) => id.includes("/node_modules/"))) > mostOfLibraries * lengthOf(all)
}

const minified = ({ fileName, code }: OutputChunk): string => {
  const mangle = { toplevel: true, keepNames: true }
  const result = minifySync(fileName, code, { module: true, compress: false, mangle, codegen: { asciiOnly: true } })
  if (result.errors.length > 0) throw result.errors[0]
  return result.code
}

/** Comments are gone: other characters stand in strings and patterns, where their escapes mean the same. */
const ascii = (code: string): string =>
  code.replace(/\\?[^\0-\x7f]/g, (found) => {
    if (found.length > 1) throw new Error(`${found} in a string or pattern: leave out the backslash`)
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`
  })

export const smallFiles: Plugin = {
  name: "small-files",
  generateBundle: (_options, bundle) => {
    for (const output of Object.values(bundle)) {
      if (output.type === "chunk") output.code = isLibrary(output) ? minified(output) : ascii(output.code)
    }
  }
}
