/* A program replaces a file; the power may fail at any time. Afterwards the file is whole, the old or the new one. */

#define VERSIONS 3
#define BLOCKS 2      /* of a file */

/* On the disk: two files of some blocks, of which the directory names one. */
typedef File { byte block[BLOCKS] }
File on_disk[2];
bit directory;

/* In the cache of the operating system, which writes when and in which order it likes. */
File cached[2];
bool is_dirty[2 * BLOCKS];
bit cached_directory;

byte saved;           /* the version that the program has promised to be safe */

#define all_written (!is_dirty[0] && !is_dirty[1] && !is_dirty[2] && !is_dirty[3])

/* Waits until the cache has been written to the disk. */
inline flush() {
  all_written && directory == cached_directory
}

active proctype program() {
  byte version, b;
  bit file;

  do
  :: version < VERSIONS ->
       version++;
       file = 1 - cached_directory;
       for (b : 0 .. BLOCKS - 1) {
         atomic { cached[file].block[b] = version; is_dirty[file * BLOCKS + b] = true }
       }
#ifdef MENDED
       flush();
#endif
       cached_directory = file;   /* rename */
       flush();
       saved = version
  :: version == VERSIONS -> break
  od
}

active proctype disk() {
end:
  do
  :: atomic { is_dirty[0] -> on_disk[0].block[0] = cached[0].block[0]; is_dirty[0] = false }
  :: atomic { is_dirty[1] -> on_disk[0].block[1] = cached[0].block[1]; is_dirty[1] = false }
  :: atomic { is_dirty[2] -> on_disk[1].block[0] = cached[1].block[0]; is_dirty[2] = false }
  :: atomic { is_dirty[3] -> on_disk[1].block[1] = cached[1].block[1]; is_dirty[3] = false }
  :: directory != cached_directory -> directory = cached_directory
  od
}

/* What a program finds after a power failure, which may happen now. */
#define found on_disk[directory]

active proctype power_failure() {
  d_step {
    assert(found.block[0] == found.block[1]);   /* not half of one version and half of another */
    assert(found.block[0] >= saved)             /* and none that is older than was promised */
  }
}
