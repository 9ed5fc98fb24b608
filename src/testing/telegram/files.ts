/** The files of all chats: kept by id, described by `getFile`, downloaded by a link that is valid for an hour. */
import type { KeptFile } from "./chats.ts"
import { limits } from "./limits.ts"
import { isRecord } from "./params.ts"
import { badRequest, beyond } from "./refusal.ts"
import type { File } from "./wire.ts"

export type FileKind = KeptFile["kind"]

export interface Upload {
  readonly name: string
  readonly content: Uint8Array
}

export interface SentFile {
  /** Default: none of a photo or voice message, `file` of a document. */
  readonly name?: string
  readonly content: string | Uint8Array
  readonly mimeType?: string
  /** Pretended length. Default: the length of the content. */
  readonly bytes?: number
}

const folders: Readonly<Record<FileKind, string>> = { document: "documents", photo: "photos", voice: "voice" }

export const makeFiles = (now: () => number) => {
  const contents = new Map<string, { readonly kept: KeptFile; readonly content: Uint8Array }>()
  const links = new Map<string, { readonly fileId: string; readonly until: number }>()
  const add = (kind: FileKind, { name, content, mimeType, bytes }: SentFile): KeptFile => {
    const fileId = `file-${contents.size + 1}`
    const raw = typeof content === "string" ? new TextEncoder().encode(content) : content
    const fileName = name ?? (kind === "document" ? "file" : undefined)
    const stored: KeptFile = {
      kind,
      fileId,
      bytes: bytes ?? raw.length,
      ...(fileName === undefined ? {} : { name: fileName }),
      ...(mimeType === undefined ? {} : { mimeType })
    }
    contents.set(fileId, { kept: stored, content: raw })
    return stored
  }

  /** The small size of a photo is the same file. */
  const found = (fileId: string) => contents.get(fileId) ?? contents.get(fileId.replace(/s$/, ""))
  return {
    add,
    /** A file sent by the bot: a part of its request, by name or `attach://name`, or the id of an existing file. */
    sent: (kind: FileKind, input: unknown, uploads: ReadonlyMap<string, Upload>, part: string): KeptFile => {
      const upload =
        typeof input === "string" && input.startsWith("attach://")
          ? uploads.get(input.slice("attach://".length))
          : uploads.get(part)
      if (upload !== undefined) {
        const { name, content } = upload
        if (content.length === 0) throw badRequest("file must be non-empty")
        const most = kind === "photo" ? limits.upload.photoBytes : limits.upload.bytes
        if (content.length > most) throw beyond("file is too big")
        return add(kind, { name, content })
      }
      if (typeof input !== "string" || input === "") throw badRequest(`unknown ${kind} in the request`)
      const known = found(input)
      if (known === undefined) throw badRequest("wrong file identifier/HTTP URL specified")
      return { ...known.kept, kind }
    },
    /** Describes a file, with a new link. */
    describe: (fileId: string): File => {
      const file = found(fileId)
      if (file === undefined) throw badRequest("invalid file_id")
      const { bytes, kind, name } = file.kept
      if (bytes > limits.download.bytes) throw beyond("file is too big")
      const suffix = /\.\w{1,8}$/.exec(name ?? "")?.[0] ?? (kind === "photo" ? ".jpg" : kind === "voice" ? ".oga" : "")
      const path = `${folders[kind]}/file_${links.size + 1}${suffix}`
      links.set(path, { fileId: file.kept.fileId, until: now() + limits.download.linkMs })
      return { file_id: fileId, file_unique_id: `u${fileId}`, file_size: bytes, file_path: path }
    },
    /** Returns undefined if the link does not exist, or has expired. */
    download: (path: string): Uint8Array | undefined => {
      const link = links.get(path)
      return link === undefined || link.until <= now() ? undefined : contents.get(link.fileId)?.content
    },
    contentOf: (fileId: string): Uint8Array | undefined => found(fileId)?.content
  }
}

export type Files = ReturnType<typeof makeFiles>

/** One item of an album, as a bot describes it. */
export const mediaOf = (
  value: unknown
): { readonly kind: FileKind; readonly media: string; readonly params: Readonly<Record<string, unknown>> } => {
  if (!isRecord(value)) throw badRequest("can't parse InputMedia: it must be an Object")
  const { type, media } = value
  if (type !== "photo" && type !== "document") throw badRequest("can't parse InputMedia: wrong type of media")
  if (typeof media !== "string") throw badRequest("can't parse InputMedia: media not found")
  return { kind: type, media, params: value }
}
