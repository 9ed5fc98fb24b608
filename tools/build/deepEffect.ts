/**
 * Leaves Effect to the application, and of Effect loads the modules that are used alone: `import { Stream } from
 * "effect"` becomes one of `effect/Stream`. The whole of `effect` takes 50 ms longer to load. The driver of PostgreSQL is
 * carried inside: few need it, and it is a matter of this package which.
 */
import type { Plugin } from "rolldown"

/** A file that hands on the modules beside it; they have names with a capital letter, and such files have none. */
const barrel = /\/node_modules\/effect\/dist\/(?:(\w+)\/)?index\.js$/
const deep = /^(?:effect|@effect\/(?!sql-pg\/)[\w-]+)\/(?:\w+\/)*[A-Z]\w*$/

const external = (id: string) => ({ id, external: true, moduleSideEffects: false }) as const

export const deepEffect: Plugin = {
  name: "deep-effect",
  resolveId: (id, importer) => {
    const found = barrel.exec(importer ?? "")
    if (found !== null && id.startsWith("./")) {
      return external(["effect", found[1], id.slice("./".length, -".js".length)].filter(Boolean).join("/"))
    }
    return deep.test(id) ? external(id) : null
  }
}
