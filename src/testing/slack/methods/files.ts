/** Methods of files (docs: Working with files). Sharing tells no `ts`: `files.info` has it. */
import { tellPosted } from "../events.ts"
import { fileOf, sharesOf } from "../messages.ts"
import { integerOf, isRecord, jsonOf, textOf } from "../params.ts"
import { Refusal } from "../refusal.ts"
import type { Method } from "../world.ts"

const upload: Method = {
  scopes: ["files:write"],
  pace: "tier4",
  run: ({ files }, params) => {
    const [name, length] = [textOf(params, "filename"), integerOf(params, "length") ?? 0]
    if (name === "" || length < 1) throw new Refusal("invalid_arguments")
    return files.prepare(name, length)
  }
}

const complete: Method = {
  scopes: ["files:write"],
  pace: "tier4",
  run: (world, params) => {
    const { files, places, me } = world
    const input = jsonOf(params, "files", "invalid_arguments")
    if (!Array.isArray(input) || input.length === 0) throw new Refusal("invalid_arguments")
    const channel = textOf(params, "channel_id")
    const place = channel === "" ? undefined : places.accessible(channel, "write")
    const threadTs = textOf(params, "thread_ts")
    const thread = place === undefined || threadTs === "" ? undefined : places.rootOf(place, threadTs).ts
    const all = input.map((each: unknown) => {
      const { id, title } = isRecord(each) ? each : {}
      return files.complete(String(id), typeof title === "string" ? title : undefined, me.id)
    })
    if (place !== undefined) {
      const message = places.add(place, {
        user: me.id,
        isOurs: true,
        text: textOf(params, "initial_comment"),
        thread,
        files: all,
        subtype: "file_share"
      })
      for (const file of all) file.shares.push({ place, ts: message.ts, thread })
      tellPosted(world, place, message)
    }
    return { files: all.map((file) => ({ ...fileOf(world, file), shares: {} })) }
  }
}

const info: Method = {
  scopes: ["files:read"],
  pace: "tier4",
  run: (world, params) => {
    const file = world.files.get(textOf(params, "file"))
    return { file: { ...fileOf(world, file), shares: sharesOf(file) }, comments: [] }
  }
}

export const files: Readonly<Record<string, Method>> = {
  "files.getUploadURLExternal": upload,
  "files.completeUploadExternal": complete,
  "files.info": info
}
