/** The packages of which something is in one of the bundles, with their licences, as one file beside them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { OutputBundle, Plugin } from "rolldown"

/** The folder of the package that a module is in; none for those of Reins. */
const packageOf = (module: string): string | undefined => {
  if (!module.includes("/node_modules/")) return undefined
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module) ?? []
  return folder
}

const textOf = (folder: string): string => {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${folder} has no text of its licence`)
  return readFileSync(join(folder, file), "utf8").trim()
}

const sectionOf = (folder: string): string => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return `${name} ${version} (${license})\n\n${textOf(folder)}\n`
}

const about = "The files beside this one contain parts of the following packages, without their comments."

/** For several bundles: `file` is written anew with each that is known. */
export const licences = (file: string): Plugin => {
  const folders = new Set<string>()
  const add = (bundle: OutputBundle) => {
    const chunks = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? [output] : []))
    const rendered = chunks.flatMap(({ modules }) =>
      Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : []))
    )
    for (const id of rendered) {
      const folder = packageOf(id)
      if (folder !== undefined) folders.add(folder)
    }
  }
  return {
    name: "licences",
    writeBundle: (_options, bundle) => {
      add(bundle)
      if (!existsSync(dirname(file))) throw new Error(`${dirname(file)} is not built`)
      writeFileSync(file, [about, ...[...folders].sort().map(sectionOf)].join(`\n\n${"-".repeat(80)}\n\n`))
    }
  }
}
