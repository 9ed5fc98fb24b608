/** Where the hosts of a campaign live: directories of its own, their environment, and the store that they share. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { OpenStore } from "../../src/conversations/store/OpenStore.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import type { StoreOptions } from "./onStores.ts"
import type { StorePlace } from "./storeHost.ts"

export interface CampaignOptions extends StoreOptions {
  /** How many at a time. */
  readonly hosts?: number
}

export interface StoreRoom {
  readonly root: string
  /** The current directory of its hosts. */
  readonly work: string
  readonly store: StorePlace
  readonly env: NodeJS.ProcessEnv
}

/** All of it is removed at the end. */
export const inStoreRoom = async <A>(
  { store: kind, url }: Pick<StoreOptions, "store" | "url">,
  use: (room: StoreRoom) => Promise<A>
): Promise<A> => {
  const root = mkdtempSync(join(tmpdir(), "chaos-"))
  const work = join(root, "work")
  mkdirSync(work)
  const env = {
    ...process.env,
    HOME: root,
    TMPDIR: work,
    XDG_STATE_HOME: join(root, "state"),
    XDG_CONFIG_HOME: join(root, "config")
  }
  try {
    return await use({
      root,
      work,
      env,
      store: kind === "postgres" && url !== undefined ? { url } : { directory: join(root, "store") }
    })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

export const layerOf = (place: StorePlace) =>
  "url" in place ? Store.layerPostgres({ url: place.url }) : Store.layerFile(place)

/** `ok`, or what the database says of itself. */
export const integrityOf = ({ kind, read, sql }: OpenStore) =>
  kind === "file"
    ? Effect.map(read(sql<{ integrity_check: string }>`pragma integrity_check`), ([row]) => row?.integrity_check ?? "")
    : Effect.succeed("ok")
