/**
 * Small files: chunks with code of Reins have source maps of whole lines, a sixth of the size, by which a stack names its
 * file and line in the sources. Chunks that are almost only Effect have shorter names of variables instead, no spaces and
 * no maps: names of functions and classes are kept for stacks. All are ASCII: V8 keeps the whole of a file that has one other
 * character as two bytes for each, 1.2 MB of memory more.
 */
import { decode, encode } from "@jridgewell/sourcemap-codec"
import type { OutputChunk, Plugin } from "rolldown"
import { minifySync } from "rolldown/utils"

/** Share of the length of a chunk. */
const mostOfEffect = 0.95

const isEffect = ({ modules }: OutputChunk): boolean => {
  const all = Object.entries(modules).map(([id, { renderedLength }]) => ({ id, renderedLength }))
  const lengthOf = (some: typeof all) => some.reduce((sum, { renderedLength }) => sum + renderedLength, 0)
  return lengthOf(all.filter(({ id }) => id.includes("/node_modules/"))) > mostOfEffect * lengthOf(all)
}

const withoutMap = (code: string) => code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n")

const minified = ({ fileName, code }: OutputChunk): string => {
  const mangle = { toplevel: true, keepNames: true }
  const codegen = { asciiOnly: true }
  const result = minifySync(fileName, withoutMap(code), { module: true, compress: false, mangle, codegen })
  if (result.errors.length > 0) throw result.errors[0]
  return result.code
}

/** Comments are gone: other characters stand in strings and patterns, where their escapes mean the same. */
const ascii = (code: string): string =>
  code.replace(/\\?[^\0-\x7f]/g, (found) => {
    if (found.length > 1) throw new Error(`${found} in a string or pattern: leave out the backslash`)
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`
  })

const linesOf = (mappings: string): string =>
  encode(
    decode(mappings).map((segments): Array<[number, number, number, number]> => {
      const [_, source, line] = segments.find((segment) => segment.length > 1) ?? []
      return source === undefined || line === undefined ? [] : [[0, source, line, 0]]
    })
  )

export const smallFiles: Plugin = {
  name: "small-files",
  generateBundle: (_options, bundle) => {
    for (const output of Object.values(bundle)) {
      if (output.type === "chunk") output.code = ascii(output.code)
      if (output.type !== "asset" || !output.fileName.endsWith(".js.map")) continue
      const chunk = bundle[output.fileName.slice(0, -".map".length)]
      if (chunk?.type === "chunk" && isEffect(chunk)) {
        chunk.code = minified(chunk)
        delete bundle[output.fileName]
        continue
      }
      const map: { readonly mappings: string } = JSON.parse(String(output.source))
      output.source = JSON.stringify({ ...map, names: [], mappings: linesOf(map.mappings) })
    }
  }
}
