#include "CV4L2.h"
#include <string.h>

static int find(int fd, uint32_t id, struct media_entity_desc *found) {
    memset(found, 0, sizeof *found);
    found->id = id;
    return cv4l2_call(fd, MEDIA_IOC_ENUM_ENTITIES, found);
}

int cv4l2_next_entity(int fd, struct cv4l2_entity *entity) {
    struct media_entity_desc found;
    int answer = find(fd, entity->id | MEDIA_ENT_ID_FLAG_NEXT, &found);
    if (answer < 0) return answer;
    entity->id = found.id;
    entity->major = found.dev.major;
    entity->minor = found.dev.minor;
    entity->pads = found.pads;
    entity->links = found.links;
    memset(entity->name, 0, sizeof entity->name);
    memcpy(entity->name, found.name, sizeof found.name);
    return 0;
}

int cv4l2_get_links(int fd, struct cv4l2_links *links) {
    struct media_entity_desc entity;
    // Zeroed: the kernel leaves some fields alone.
    struct media_link_desc found[64] = {0};
    struct media_pad_desc pads[64] = {0};
    struct media_links_enum all = {.entity = links->entity, .pads = pads, .links = found};
    int answer = find(fd, links->entity, &entity);
    if (answer < 0) return answer;
    if (entity.links > 64 || entity.pads > 64) return -E2BIG;
    answer = cv4l2_call(fd, MEDIA_IOC_ENUM_LINKS, &all);
    if (answer < 0) return answer;
    links->sources = 0;
    for (unsigned index = 0; index < entity.pads; index++)
        if (pads[index].flags & MEDIA_PAD_FL_SOURCE) links->sources |= (uint64_t)1 << pads[index].index % 64;
    links->count = entity.links;
    for (unsigned index = 0; index < entity.links; index++) {
        links->links[index] = (struct cv4l2_link){
            .source = found[index].source.entity, .sink = found[index].sink.entity,
            .source_pad = found[index].source.index, .sink_pad = found[index].sink.index,
            .flags = found[index].flags};
    }
    return 0;
}

int cv4l2_set_link(int fd, const struct cv4l2_link *link) {
    struct media_link_desc wanted = {
        .source = {.entity = link->source, .index = link->source_pad, .flags = MEDIA_PAD_FL_SOURCE},
        .sink = {.entity = link->sink, .index = link->sink_pad, .flags = MEDIA_PAD_FL_SINK},
        .flags = link->flags};
    return cv4l2_call(fd, MEDIA_IOC_SETUP_LINK, &wanted);
}
