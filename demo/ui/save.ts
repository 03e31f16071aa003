import { toast } from "./toast.tsx";

/** Saves bytes or text as a download, and confirms that in a toast. */
export function save(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download starts with the click, so the URL is soon no longer needed.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  toast(`Saved ${name}`);
}
