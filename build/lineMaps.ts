/**
 * Source maps of whole lines, where there are sources of Reins: a stack names its file and line in the sources, and the
 * maps take a sixth of the space.
 */
import { decode, encode } from "@jridgewell/sourcemap-codec"
import type { Plugin } from "rolldown"

interface SourceMap {
  readonly sources: ReadonlyArray<string>
  readonly mappings: string
}

export const lineMaps: Plugin = {
  name: "line-maps",
  generateBundle: (_options, bundle) => {
    for (const output of Object.values(bundle)) {
      if (output.type !== "asset" || !output.fileName.endsWith(".js.map")) continue
      const map: SourceMap = JSON.parse(String(output.source))
      if (!map.sources.some((path) => path.startsWith("../src/"))) {
        const chunk = bundle[output.fileName.slice(0, -".map".length)]
        if (chunk?.type === "chunk") chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n")
        delete bundle[output.fileName]
        continue
      }
      const lines = decode(map.mappings).map((segments): Array<[number, number, number, number]> => {
        const [_, source, line] = segments.find((segment) => segment.length > 1) ?? []
        return source === undefined || line === undefined ? [] : [[0, source, line, 0]]
      })
      output.source = JSON.stringify({ ...map, names: [], mappings: encode(lines) })
    }
  }
}
