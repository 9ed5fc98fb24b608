/** Files: uploaded by the business or sent by people, described by id, and given by an address that is valid for minutes. */
import { createHash } from "node:crypto"
import { limits, type MediaKind } from "./limits.ts"
import type { KeptFile } from "./people.ts"
import { beyond, invalid, Refusal } from "./refusal.ts"

export interface SentFile {
  readonly name?: string
  readonly content: string | Uint8Array
  readonly mimeType?: string
}

const kindsOfType = (type: string) =>
  Object.entries(limits.media).flatMap(
    ([kind, { types }]) => (types.some((known: string) => known === type) ? [kind as MediaKind] : []) // the names of `media`
  )

const usual: Readonly<Record<KeptFile["kind"], string>> = {
  image: "image/jpeg",
  video: "video/mp4",
  audio: "audio/ogg; codecs=opus",
  document: "application/pdf",
  sticker: "image/webp"
}

export const makeMedia = (now: () => number) => {
  const files = new Map<string, KeptFile>()
  const links = new Map<string, { readonly id: string; readonly until: number }>()

  const add = (kind: KeptFile["kind"], { name, content, mimeType }: SentFile): KeptFile => {
    const file: KeptFile = {
      id: String(4_490_057_271_709_405n + BigInt(files.size)),
      kind,
      ...(name === undefined ? {} : { name }),
      mimeType: mimeType ?? usual[kind],
      content: typeof content === "string" ? new TextEncoder().encode(content) : content
    }
    files.set(file.id, file)
    return file
  }

  return {
    add,
    upload: async (form: FormData): Promise<{ readonly id: string }> => {
      if (form.get("messaging_product") !== "whatsapp") throw invalid("The parameter messaging_product is required.")
      const file = form.get("file")
      if (!(file instanceof File)) throw invalid("Param file must be a file.")
      if (file.size === 0) throw invalid("Param file must not be empty.")
      const type = file.type.split(";")[0] ?? ""
      const [kind] = kindsOfType(type)
      if (kind === undefined) throw invalid(`Param file must be a file with one of the known types; it is ${type}.`)
      if (file.size > limits.media.document.most) throw beyond("The file is too large.", 131_053)
      const content = new Uint8Array(await file.arrayBuffer())
      return { id: add(kind, { name: file.name, content, mimeType: type }).id }
    },
    /** A file that a message names, as that kind. */
    sent: (kind: Exclude<MediaKind, "sticker">, id: unknown, name: unknown): KeptFile => {
      const file = files.get(String(id))
      if (file === undefined) throw new Refusal(131_009, `Parameter ${kind}['id'] is not a valid media id.`)
      const { most, types } = limits.media[kind]
      // A document may have any type that can be uploaded.
      if (kind !== "document" && !types.some((type: string) => type === file.mimeType))
        throw beyond(`A file of type ${file.mimeType} is not sent as ${kind}.`, 131_053)
      if (file.content.length > most) throw beyond(`The file is too large for ${kind}.`, 131_053)
      return { ...file, kind, ...(typeof name === "string" ? { name } : {}) }
    },
    describe: (id: string, origin: string) => {
      const file = files.get(id)
      if (file === undefined) return undefined
      const path = `/whatsapp_business/attachments/${id}/${links.size + 1}`
      links.set(path, { id, until: now() + limits.linkMs })
      return {
        url: origin + path,
        mime_type: file.mimeType,
        sha256: createHash("sha256").update(file.content).digest("hex"),
        file_size: String(file.content.length),
        id,
        messaging_product: "whatsapp"
      }
    },
    /** Returns undefined if the address does not exist, or has expired. */
    download: (path: string): KeptFile | undefined => {
      const link = links.get(path)
      return link === undefined || link.until <= now() ? undefined : files.get(link.id)
    }
  }
}
export type Media = ReturnType<typeof makeMedia>
