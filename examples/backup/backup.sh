#!/bin/sh
# Packs a folder into an archive, and keeps the newest seven. Whatever goes wrong ends it with another code than 0: the run has
# failed, and is tried again.
set -eu
from=${BACKUP_FROM:-data}
to=${BACKUP_TO:-backups}

# Named by the instant that it is for, which stays the same in a retry and after a crash: a second try replaces the first one and
# does not stand beside it.
archive=$to/$(printf %s "$OBBLIGATO_SCHEDULED_FOR" | tr -d ':-').tar.gz

echo "packing $from, attempt $OBBLIGATO_ATTEMPT"
mkdir -p "$to"
# Under another name until it is whole, so that nobody takes half an archive for one.
tar -czf "$to/.partial" -C "$from" .
tar -tzf "$to/.partial" > "$to/.contents"
mv "$to/.partial" "$archive"
echo "packed $(grep -vc '/$' "$to/.contents") files into $archive"

ls -1r "$to" | tail -n +8 | while read -r old; do rm "$to/$old"; done
