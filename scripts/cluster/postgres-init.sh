# The image of PostgreSQL runs this once, when it has made the database. From its next start on the primary waits for a
# standby; each one's name is its application_name.
echo "host replication $POSTGRES_USER all scram-sha-256" >>"$PGDATA/pg_hba.conf"
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" \
  -c "alter system set synchronous_standby_names = '\"$NAME\", \"$PEER\"'"
