/**
 * Modules that share a file. Left alone, each set of entries that load the same modules gets one: a hundred for the plain door, and
 * to find, open and link a file costs more than to read it. So all is bundled once to see what each entry loads, and then again.
 */
import { resolve } from "node:path"
import {
  type CodeSplittingGroup,
  type CodeSplittingOptions,
  type InputOptions,
  type OutputChunk,
  type OutputOptions,
  rolldown
} from "rolldown"

/** The modules whose code is in the files of these entries, and in those that they load, before they run or (`later`) at any time. */
type Reach = (entries: ReadonlyArray<string>, later?: boolean) => ReadonlySet<string>

const chunksOf = async (input: InputOptions, output: OutputOptions): Promise<ReadonlyArray<OutputChunk>> => {
  await using bundle = await rolldown(input)
  const generated = await bundle.generate(output)
  return generated.output.filter((each) => each.type === "chunk")
}

const reachIn = (chunks: ReadonlyArray<OutputChunk>): Reach => {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  return (entries, later = false) => {
    const files = new Set<string>()
    const follow = (file: string) => {
      const chunk = byFile.get(file)
      if (chunk === undefined || files.has(file)) return
      files.add(file)
      for (const next of [...chunk.imports, ...(later ? chunk.dynamicImports : [])]) follow(next)
    }
    for (const entry of entries) {
      const own = chunks.find(({ facadeModuleId }) => facadeModuleId === resolve(entry))
      if (own === undefined) throw new Error(`${entry} is not an entry`)
      follow(own.fileName)
    }
    return new Set([...files].flatMap((file) => byFile.get(file)?.moduleIds ?? []))
  }
}

export interface Together {
  readonly name: string
  /** The file has all that this loads before it runs; the entry itself keeps one of its own. */
  readonly entry: string
  /** Only modules that these load, too, at any time. */
  readonly sharedWith?: ReadonlyArray<string>
  readonly only?: (id: string) => boolean
}

/** In this order: what is in one file is not in the next. */
export const splitInto = async (
  input: InputOptions,
  output: OutputOptions,
  files: ReadonlyArray<Together>
): Promise<CodeSplittingOptions> => {
  const reach = reachIn(await chunksOf(input, output))
  const groups = files.map(({ name, entry, sharedWith, only = () => true }): CodeSplittingGroup => {
    const loaded = reach([entry])
    const others = sharedWith === undefined ? loaded : reach(sharedWith, true)
    return { name, test: (id) => id !== resolve(entry) && loaded.has(id) && others.has(id) && only(id) }
  })
  // Else a group would have modules that are imported and not used.
  return { groups, includeDependenciesRecursively: false }
}
