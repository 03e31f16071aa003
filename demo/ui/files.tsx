import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Lines, type LinesProps } from "./field.tsx";

/** A file that the user chose, read in the browser. */
export interface SelectedFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Maximum size of a file in bytes. Certificates are small. */
const maxBytes = 10 * 1024 * 1024;

async function readFiles(files: FileList | null): Promise<readonly SelectedFile[]> {
  return Promise.all(
    Array.from(files ?? [], async (file) => ({
      name: file.name,
      bytes: new Uint8Array(file.size > maxBytes ? new ArrayBuffer(0) : await file.arrayBuffer()),
    })),
  );
}

/** A button that opens the file chooser. */
export function FileButton({
  onFiles,
  many = false,
}: {
  onFiles: (files: readonly SelectedFile[]) => void;
  many?: boolean;
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const chosen = async (event: Event & { currentTarget: HTMLInputElement }): Promise<void> => {
    const element = event.currentTarget;
    onFiles(await readFiles(element.files));
    element.value = "";
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple={many}
        hidden
        onChange={(event) => void chosen(event)}
      />
      <Button icon="up" press={() => input.current?.click()}>
        {many ? "Choose files" : "Choose a file"}
      </Button>
    </>
  );
}

/** Returns the handlers and the class of an area where files can be dropped. */
export function useDrop(onFiles: (files: readonly SelectedFile[]) => void): {
  class: string;
  onDragOver: (event: DragEvent) => void;
  onDragLeave: () => void;
  onDrop: (event: DragEvent) => void;
} {
  const [over, setOver] = useState(false);
  return {
    class: over ? "drop over" : "drop",
    onDragOver: (event) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event) => {
      event.preventDefault();
      setOver(false);
      void readFiles(event.dataTransfer?.files ?? null).then(onFiles);
    },
  };
}

/** A text field that also accepts files, which can be dropped or chosen. */
export function DropLines({
  onFiles,
  many = false,
  ...lines
}: LinesProps & {
  onFiles: (files: readonly SelectedFile[]) => void;
  many?: boolean;
}): JSX.Element {
  return (
    <div {...useDrop(onFiles)}>
      <Lines {...lines} />
      <div>
        <FileButton onFiles={onFiles} many={many} />
      </div>
    </div>
  );
}
